import { createSeededRandom } from '../../../src/seeded-random.ts';
import { addShipTarget, readEntries } from '../../../src/store/outbox/targets.ts';
import { createDrizzle } from '../../../src/store/sqlite/drizzle.ts';
import { planOf } from '../plan.ts';
import { simulate } from '../run.ts';
import type { StorePool } from '../stores.ts';
import {
  COMPARED_VIEWS,
  listComparedColumns,
  IS_HISTORY,
  readFirstValue,
  readStoreViews,
  writeEngineRows,
} from './compared-views.ts';
import { type DealtFact, dealFacts } from './deal-facts.ts';
import type { FleetEngine } from './fleet-engine.ts';
import { findLostSightings } from './lost-sightings.ts';

/** A row that only one side has. */
export interface FleetDifference {
  readonly seed: number;
  readonly engine: string;
  readonly view: string;
  readonly side: 'store' | 'views';
  readonly row: string;
}

export interface FleetResult {
  readonly engines: readonly string[];
  readonly seeds: number;
  readonly facts: number;
  /** The compared rows, by view. */
  readonly rows: Record<string, number>;
  /** Accounts and tweets that were left out of the comparison of histories. */
  readonly left: number;
  readonly differences: readonly FleetDifference[];
}

/** Seeds whose facts are in an engine together: a query of few rows costs as much as one of many. */
const BATCH = 250;
const MAX_ENTRIES = 1e9;

/**
 * Crawls simulated worlds with one store, deals its facts to three, and compares the views of each engine with those of the
 * store: all rows, with all columns but those of `COMPARED_VIEWS`.
 */
export async function compareFleet(
  seeds: readonly number[],
  pool: StorePool,
  engines: readonly FleetEngine[],
): Promise<FleetResult> {
  const rows: Record<string, number> = {};
  const differences: FleetDifference[] = [];
  let facts = 0;
  let left = 0;
  for (let i = 0; i < seeds.length; i += BATCH) {
    const batch = seeds.slice(i, i + BATCH);
    const { facts: dealt, rows: expected } = await crawlWorlds(batch, pool);
    facts += dealt.length;
    const lost = findLostSightings([...expected.get('v_user_changes')!, ...expected.get('v_tweet_changes')!], dealt);
    left += lost.size;
    for (const [view, found] of expected) rows[view] = (rows[view] ?? 0) + found.length;
    for (const engine of engines) {
      await engine.clear();
      await engine.load(dealt);
      for (const [view, wanted] of expected) {
        const columns = listComparedColumns(pool.db, view);
        const found = writeEngineRows(view, columns, await engine.read(view, columns));
        const isComparable = (row: string): boolean => !IS_HISTORY.test(view) || !lost.has(readFirstValue(row));
        differences.push(
          ...compareRows(wanted.filter(isComparable), found.filter(isComparable), { engine: engine.engine, view }),
        );
      }
    }
  }
  return { engines: engines.map(({ engine }) => engine), seeds: seeds.length, facts, left, rows, differences };
}

/** The facts of worlds, and the rows of the views of the store that crawled each of them. */
export interface CrawledWorlds {
  readonly facts: readonly DealtFact[];
  readonly rows: ReadonlyMap<string, readonly string[]>;
}

/** Crawls the worlds of seeds, one after the other, with one store. */
export async function crawlWorlds(seeds: readonly number[], pool: StorePool): Promise<CrawledWorlds> {
  const rows = new Map(Object.keys(COMPARED_VIEWS).map((view): [string, string[]] => [view, []]));
  const facts: DealtFact[] = [];
  for (const seed of seeds) {
    facts.push(...(await crawl(seed, pool)));
    for (const [view, found] of readStoreViews(pool.db, seed)) rows.get(view)!.push(...found);
  }
  return { facts, rows };
}

/** Crawls the world of a seed. Returns the dealt facts; the store has its rows until the next one. */
async function crawl(seed: number, pool: StorePool): Promise<DealtFact[]> {
  const db = createDrizzle(pool.db);
  await simulate(planOf(seed), pool, {
    prepare: () => void addShipTarget(db, { address: '/fleet', maxBacklogBytes: MAX_ENTRIES, at: 1 }),
  });
  return dealFacts(seed, readEntries(db, 0, MAX_ENTRIES), createSeededRandom(seed, 'fleet'));
}

/** Returns the rows that only one side has. @param wanted those of the store */
export function compareRows(
  wanted: readonly string[],
  found: readonly string[],
  place: Pick<FleetDifference, 'engine' | 'view'>,
): FleetDifference[] {
  const counts = new Map<string, number>();
  for (const row of wanted) counts.set(row, (counts.get(row) ?? 0) + 1);
  for (const row of found) counts.set(row, (counts.get(row) ?? 0) - 1);
  return [...counts].flatMap(([row, count]) => {
    if (count === 0) return [];
    return [{ ...place, seed: Number(/"(\d+)~/.exec(row)?.[1]), side: count > 0 ? 'store' : 'views', row }];
  });
}
