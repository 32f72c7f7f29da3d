import type { Db } from '../sqlite/database.ts';
import { type Call, type Outcome, prepareGroupCommit } from './group-commit.ts';
import type { Operations } from './operations.ts';

/** The store's operations as everybody calls them: each stores all of what it does, or nothing. */
export type Writer = {
  readonly [Name in keyof Operations]: (...args: Parameters<Operations[Name]>) => Promise<ReturnType<Operations[Name]>>;
};

const NAMES = Object.keys({
  open: true,
  beginRun: true,
  lease: true,
  commit: true,
  readAgain: true,
  expireRaw: true,
  handBack: true,
  account: true,
  claim: true,
  cancel: true,
  resume: true,
  setSchedule: true,
  openRun: true,
  sampleQuota: true,
} satisfies Record<keyof Operations, true>) as (keyof Operations)[];

/** A writer that sends each call to where it is run. */
export const writerOver = (send: (call: Call) => Promise<unknown>): Writer =>
  Object.fromEntries(
    NAMES.map((operation) => [operation, (...args: unknown[]) => send({ operation, args })]),
  ) as unknown as Writer;

/** A writer on this thread and connection: a transaction per call. @param check is called before each commit. */
export function createWriter(db: Db, check?: () => void): Writer {
  const run = prepareGroupCommit(db, { check });
  return writerOver(async (call) => valueOf(run([call])[0]!));
}

function valueOf(outcome: Outcome): unknown {
  if ('error' in outcome) throw outcome.error;
  return outcome.value;
}
