import { prepareFieldCounter } from '../evidence/field-statistics.ts';
import { createUserCache, type UserCache } from '../merge/user-cache.ts';
import type { Db } from '../sqlite/database.ts';
import { prepareBeginImmediate } from '../sqlite/write-lock.ts';
import { type Operations, prepareOperations } from './operations.ts';

/** One operation to run, as it crosses threads. */
export interface WriterCall {
  readonly operation: keyof Operations;
  readonly args: readonly unknown[];
}

/** What became of it. */
export type CallResult = { readonly value: unknown } | { readonly error: unknown };

/** Runs calls in one transaction, in order. */
export type GroupCommit = (calls: readonly WriterCall[]) => CallResult[];

export interface GroupCommitOptions {
  readonly userCache?: UserCache;
  /** Called before each commit. What it throws undoes the transaction. */
  readonly check?: (() => void) | undefined;
}

/**
 * Prepares the store's operations on a connection, to be run in groups: what a transaction costs is shared. A call that
 * fails leaves no trace, and takes no other with it. When the transaction itself fails, so have all of its calls.
 *
 * A savepoint for each call would cost two thirds of the whole again (decision 7), and calls seldom fail: so it is only
 * when one did that all are undone, and run again with savepoints.
 */
export function prepareGroupCommit(
  db: Db,
  { userCache = createUserCache(db), check }: GroupCommitOptions = {},
): GroupCommit {
  const tally = prepareFieldCounter(db);
  const operations = prepareOperations(db, userCache, tally) as Record<
    keyof Operations,
    (...args: readonly unknown[]) => unknown
  >;
  const { $client } = db;
  const begin = prepareBeginImmediate(db);
  const commit = $client.prepare('commit');
  const rollback = $client.prepare('rollback');
  const savepoint = $client.prepare('savepoint call');
  const release = $client.prepare('release call');
  const undo = $client.prepare('rollback to call');

  const run = ({ operation, args }: WriterCall): CallResult => ({ value: operations[operation](...args) });

  function runAlone(call: WriterCall): CallResult {
    savepoint.run();
    try {
      return run(call);
    } catch (error) {
      // A full disk, for one, ends the whole transaction.
      if (!$client.inTransaction) throw error;
      undo.run();
      userCache.clear();
      return { error };
    } finally {
      if ($client.inTransaction) release.run();
    }
  }

  /** All or nothing: @throws whatever kept the calls from being stored. */
  function transact(calls: readonly WriterCall[], each: (call: WriterCall) => CallResult): CallResult[] {
    begin();
    try {
      userCache.checkVersion();
      tally.reset();
      const outcomes = calls.map(each);
      tally.flush();
      check?.();
      commit.run();
      return outcomes;
    } catch (error) {
      if ($client.inTransaction) rollback.run();
      userCache.clear();
      throw error;
    }
  }

  return (calls) => {
    try {
      return transact(calls, run);
    } catch (first) {
      if (calls.length === 1) return [{ error: first }];
      try {
        return transact(calls, runAlone);
      } catch (error) {
        return calls.map(() => ({ error }));
      }
    }
  };
}
