import { prepareFieldCounter } from '#store/evidence/field-statistics.ts';
import { createUserCache, type UserCache } from '#store/merge/user-cache.ts';
import { type SerialisedError, serialiseError } from '#store/serialised-errors.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareBeginImmediate } from '#store/sqlite/write-lock.ts';
import { type Operations, prepareOperations } from './operations.ts';
import type { ResolvePage } from './page-commit.ts';

/** A call of an operation, as it is sent to the writer thread. */
export interface WriterCall {
  readonly operation: keyof Operations;
  readonly args: readonly unknown[];
}

export type CallResult = { readonly value: unknown } | { readonly error: unknown };

/** A call in a message to the writer thread. */
export interface WriterRequest {
  readonly id: number;
  /** An operation of the store, or a direct call of the writer thread. */
  readonly operation: string;
  readonly args: readonly unknown[];
}

export type WriterReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly failure: SerialisedError }
);

export const toReply = (id: number, result: CallResult): WriterReply =>
  'error' in result ? { id, failure: serialiseError(result.error) } : { id, value: result.value };

/** Runs calls in one transaction, in order. */
export type GroupCommit = (calls: readonly WriterCall[]) => CallResult[];

export interface GroupCommitOptions {
  readonly userCache?: UserCache;
  /** For a writer that stages pages. */
  readonly resolvePage?: ResolvePage | undefined;
  /** Called between the calls of a group, inside its transaction. */
  readonly betweenCalls?: (() => void) | undefined;
  /** Called before each commit. An error rolls the transaction back. */
  readonly check?: (() => void) | undefined;
}

/**
 * Prepares the operations of a store, to be run in groups that share the cost of a transaction. A failed call changes
 * nothing and does not affect the others. If the transaction itself fails, all of its calls fail.
 *
 * A savepoint per call would increase the cost by two thirds (decision 7), and calls seldom fail. So savepoints are used
 * only when the group runs again after a failure.
 */
export function prepareGroupCommit(
  db: Db,
  { userCache = createUserCache(db), resolvePage, betweenCalls, check }: GroupCommitOptions = {},
): GroupCommit {
  const fieldCounter = prepareFieldCounter(db);
  const operations = prepareOperations(db, userCache, fieldCounter, resolvePage) as Record<
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
      // Some errors, such as a full disk, end the whole transaction.
      if (!$client.inTransaction) throw error;
      undo.run();
      userCache.clear();
      return { error };
    } finally {
      if ($client.inTransaction) release.run();
    }
  }

  /** Runs all calls in a transaction. @throws the first error, after a rollback */
  function transact(calls: readonly WriterCall[], each: (call: WriterCall) => CallResult): CallResult[] {
    begin();
    try {
      userCache.checkVersion();
      fieldCounter.reset();
      const outcomes = calls.map((call, i) => {
        if (i > 0) betweenCalls?.();
        return each(call);
      });
      fieldCounter.flush();
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
