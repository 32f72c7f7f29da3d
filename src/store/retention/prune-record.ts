import { eq } from 'drizzle-orm';
import { prunes } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import type { PruneCounts, PruneRequest } from './prune-request.ts';
import { runInTransaction } from './prune-transaction.ts';

/** The row of `_prunes` of a prune. Its methods run inside the caller's transaction. */
export interface PruneRecord {
  readonly id: number;
  update(removed: PruneCounts): void;
  finish(at: number): void;
}

/** Records the start of a prune. */
export function startPruneRecord(db: Db, request: PruneRequest, at: number): PruneRecord {
  const { scope, jobName = null, olderThan, isRetention = false } = request;
  const row = { scope, jobName, olderThan, isRetention, startedAt: at };
  const { id } = runInTransaction(db, () => db.insert(prunes).values(row).returning({ id: prunes.id }).get());
  const isThis = eq(prunes.id, id);
  return {
    id,
    update({ rows, bodyBytes }) {
      db.update(prunes)
        .set({ removed: JSON.stringify(rows), bodyBytes })
        .where(isThis)
        .run();
    },
    finish(finishedAt) {
      db.update(prunes).set({ finishedAt }).where(isThis).run();
    },
  };
}
