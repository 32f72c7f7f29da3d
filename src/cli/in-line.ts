import { systemClock } from '../clock.ts';
import { loadConfig } from '../config.ts';
import { visitQueue } from '../context.ts';
import { describe } from '../errors.ts';
import { createProducer } from '../queue/producer.ts';
import type { Store } from '../store/store.ts';
import { tell } from './common.ts';

/** Tells workers at once of crawls, if their queue is up. If not, they find the rows by themselves (law 2). */
export async function putInLine(store: Store, ids: readonly number[], db: string): Promise<void> {
  if (ids.length === 0) return;
  try {
    await using visit = await visitQueue({ config: loadConfig(), db, storeId: store.id });
    if (visit) await createProducer({ store, lanes: visit.lanes, clock: systemClock }).dispatch(ids);
  } catch (error) {
    tell(`warning: in line in the database only: ${describe(error)}`);
  }
}
