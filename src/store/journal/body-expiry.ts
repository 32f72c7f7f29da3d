import { sql } from 'drizzle-orm';
import { type Clock, MINUTE } from '#base/clock.ts';
import { rawPages } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { bound } from '#store/sqlite/statement.ts';

/**
 * Deletes expired bodies among the `most` oldest ones, and returns their number. Bodies are almost in chronological order, so
 * that later calls find the rest. The newest body stays, so that its id is not reused. Steps stay, too.
 */
export function prepareBodyExpiry(db: Db): (before: number, most: number) => number {
  const remove = db
    .delete(rawPages)
    .where(
      sql`${rawPages.id} in (
        select id from (select id, fetched_at from ${rawPages} order by id limit ${bound.most})
        where fetched_at < ${bound.before}) and ${rawPages.id} < (select max(id) from ${rawPages})`,
    )
    .prepare();
  return (before, most) => remove.run({ before, most }).changes;
}

/** Bodies per call, and the pause between calls: each call occupies the writer for some milliseconds. */
const BATCH_SIZE = 32;
const PAUSE_MS = 50;

/** Deletes bodies that are older than an age, now and every minute, until it is disposed of. */
export function startBodyExpiry(options: {
  readonly expireBodies: (before: number, most: number) => Promise<number>;
  readonly clock: Clock;
  readonly ageMs: number;
  /** Called when a call fails; it is repeated later. */
  readonly onError: (error: unknown) => void;
}): AsyncDisposable {
  const { expireBodies, clock, ageMs, onError } = options;
  const stop = new AbortController();
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      let deleted = 0;
      try {
        deleted = await expireBodies(clock.now() - ageMs, BATCH_SIZE);
      } catch (error) {
        onError(error);
      }
      await clock.sleep(deleted === BATCH_SIZE ? PAUSE_MS : MINUTE, stop.signal).catch(() => undefined);
    }
  }
  const done = run();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await done;
    },
  };
}
