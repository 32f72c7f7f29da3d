import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Fact, FACT_TABLE_NAMES } from '../../store/outbox/fact-tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { FactBatch } from '../files/lake-batch.ts';
import { SNAPSHOT_QUERIES } from './snapshot-queries.ts';

const ROWS_PER_TURN = 5000;

type SnapshotRow = readonly [crawlId: number | null, ...Fact];

/** The rows of a store that become facts. */
export interface NewSnapshot {
  /** Within a read transaction; its entries follow. */
  readonly db: Db;
  readonly batch: FactBatch;
  readonly store: string;
  readonly entry: number;
  readonly takenAt: number;
  readonly signal: AbortSignal;
}

/** Writes the rows of a store as facts of one entry. */
export async function writeSnapshot({ db, batch, store, entry, takenAt, signal }: NewSnapshot): Promise<void> {
  for (const table of FACT_TABLE_NAMES) {
    // Readers find all tables, also those whose first facts come later.
    await batch.add(table, [store, entry, null], []);
    const query = SNAPSHOT_QUERIES[table];
    if (query === undefined) continue;
    let rows = 0;
    for (const [crawlId, ...row] of db.$client.prepare(query).raw().iterate() as IterableIterator<SnapshotRow>) {
      await batch.add(table, [store, entry, crawlId], [row]);
      rows += 1;
      if (rows % ROWS_PER_TURN > 0) continue;
      signal.throwIfAborted();
      await nextTurn();
    }
  }
  await batch.add('snapshots', [store, entry, null], [[takenAt]]);
}
