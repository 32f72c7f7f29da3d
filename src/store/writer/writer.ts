import { toStoreError } from '#store/sqlite/database-errors.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type GroupCommit, type WriterCall, prepareGroupCommit } from './group-commit.ts';
import type { Operations } from './operations.ts';

/** The operations of a store as promises. Each is stored completely or not at all. */
export type Writer = {
  readonly [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<ReturnType<Operations[Name]>>;
};

const NAMES = Object.keys({
  openCrawls: true,
  createRun: true,
  takeLease: true,
  commitPage: true,
  reprocessPage: true,
  expireBodies: true,
  releaseLease: true,
  recordRequests: true,
  setSoftLock: true,
  cancelCrawls: true,
  resumeCrawls: true,
  setSchedule: true,
  openScheduledRun: true,
  addQuotaSample: true,
  setAlerts: true,
  claimAlert: true,
  settleAlert: true,
} satisfies Record<keyof Operations, true>) as (keyof Operations)[];

/** Creates a writer that sends each call. Errors of SQLite become a StoreError. */
export const createWriterProxy = (send: (call: WriterCall) => Promise<unknown>): Writer =>
  Object.fromEntries(
    NAMES.map((operation) => [
      operation,
      (...args: unknown[]) =>
        send({ operation, args }).catch((error: unknown) => {
          throw toStoreError(error);
        }),
    ]),
  ) as unknown as Writer;

/**
 * Creates a writer on this thread and connection, with a transaction per call. Its statements are prepared at the first
 * call: many commands only read. @param check is called before each commit
 */
export function createWriter(db: Db, check?: () => void): Writer {
  let run: GroupCommit | undefined;
  return createWriterProxy(async (call) => {
    run ??= prepareGroupCommit(db, { check });
    const [result] = run([call]);
    if ('error' in result!) throw result.error;
    return result!.value;
  });
}
