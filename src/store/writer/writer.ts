import { toStoreError } from '../sqlite/database-errors.ts';
import type { Db } from '../sqlite/database.ts';
import { type WriterCall, type CallResult, prepareGroupCommit } from './group-commit.ts';
import type { Operations } from './operations.ts';

/** The store's operations as everybody calls them: each stores all of what it does, or nothing. */
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
} satisfies Record<keyof Operations, true>) as (keyof Operations)[];

/** A writer that sends each call to where it is run. What SQLite refuses is thrown as a StoreError. */
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

/** A writer on this thread and connection: a transaction per call. @param check is called before each commit. */
export function createWriter(db: Db, check?: () => void): Writer {
  const run = prepareGroupCommit(db, { check });
  return createWriterProxy(async (call) => valueOf(run([call])[0]!));
}

function valueOf(outcome: CallResult): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
