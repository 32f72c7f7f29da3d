import { prepareFieldTally } from '../evidence/field-statistics.ts';
import { createKnownUsers, type KnownUsers } from '../merge/user-cache.ts';
import type { Db } from '../sqlite/database.ts';
import { prepareBegin } from '../sqlite/write-lock.ts';
import { type Operations, prepareOperations } from './operations.ts';

/** One operation to run, as it crosses threads. */
export interface Call {
  readonly operation: keyof Operations;
  readonly args: readonly unknown[];
}

/** What became of it. */
export type Outcome = { readonly value: unknown } | { readonly error: unknown };

/** Runs calls in one transaction, in order. */
export type GroupCommit = (calls: readonly Call[]) => Outcome[];

export interface GroupCommitOptions {
  readonly memory?: KnownUsers;
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
  { memory = createKnownUsers(db), check }: GroupCommitOptions = {},
): GroupCommit {
  const tally = prepareFieldTally(db);
  const operations = prepareOperations(db, memory, tally) as Record<
    keyof Operations,
    (...args: readonly unknown[]) => unknown
  >;
  const { $client } = db;
  const begin = prepareBegin(db);
  const commit = $client.prepare('commit');
  const rollback = $client.prepare('rollback');
  const savepoint = $client.prepare('savepoint call');
  const release = $client.prepare('release call');
  const undo = $client.prepare('rollback to call');

  const run = ({ operation, args }: Call): Outcome => ({ value: operations[operation](...args) });

  function runAlone(call: Call): Outcome {
    savepoint.run();
    try {
      return run(call);
    } catch (error) {
      // A full disk, for one, ends the whole transaction.
      if (!$client.inTransaction) throw error;
      undo.run();
      memory.forgetAll();
      return { error };
    } finally {
      if ($client.inTransaction) release.run();
    }
  }

  /** All or nothing: @throws whatever kept the calls from being stored. */
  function transact(calls: readonly Call[], each: (call: Call) => Outcome): Outcome[] {
    begin();
    try {
      memory.begin();
      tally.forget();
      const outcomes = calls.map(each);
      tally.flush();
      check?.();
      commit.run();
      return outcomes;
    } catch (error) {
      if ($client.inTransaction) rollback.run();
      memory.forgetAll();
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
