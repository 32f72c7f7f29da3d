import type { SeededRandom } from '../../../src/seeded-random.ts';
import type { Fact, Facts, FactTableName } from '../../../src/ship/facts/fact-tables.ts';
import { COMMON_COLUMNS, FACT_TABLES } from '../../../src/ship/facts/fact-tables.ts';
import type { OutboxEntry } from '../../../src/store/outbox/targets.ts';

/** The number of stores that share the crawls of a simulation. */
export const STORES = 3;
/** One of this many entries is shipped twice. */
const TWICE_EVERY = 4;

/** A fact with its common columns. */
export interface DealtFact {
  readonly table: FactTableName;
  readonly values: Fact;
}

/** The columns with ids, targets that may be ids, and hashtags: they are different in each seed, so that many seeds fit into one target. */
const IS_ID = /rest_id$|^target$|^query$|tag$/;
const IS_LIST = /^hashtags$/;

/** Returns a value of a column as that of a seed. */
export function markSeed<Value>(seed: number, column: string, value: Value): Value | string {
  if (typeof value !== 'string') return value;
  if (IS_LIST.test(column)) return JSON.stringify((JSON.parse(value) as string[]).map((each) => `${seed}~${each}`));
  return IS_ID.test(column) ? `${seed}~${value}` : value;
}

/** Returns a value without its seed. */
export const unmarkSeed = (value: unknown): unknown => (typeof value === 'string' ? value.replace(/^\d+~/, '') : value);

/** Deals the entries of one store to three by their crawl. Some are shipped twice, and all of them in a random order. */
export function dealFacts(seed: number, entries: readonly OutboxEntry[], random: SeededRandom): DealtFact[] {
  const shipped = entries.flatMap((entry) => (random.integerBelow(TWICE_EVERY) === 0 ? [entry, entry] : [entry]));
  const facts = shipped.flatMap(({ id, crawlId, facts: json }) =>
    (Object.entries(JSON.parse(json) as Facts) as [FactTableName, readonly Fact[]][]).flatMap(([table, rows]) => {
      const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
      return rows.map((row): DealtFact => {
        const values = [`${seed}-${(crawlId ?? 0) % STORES}`, id, crawlId, ...row];
        return { table, values: columns.map((column, i) => markSeed(seed, column, values[i] ?? null)) };
      });
    }),
  );
  for (let i = facts.length - 1; i > 0; i -= 1) {
    const other = random.integerBelow(i + 1);
    [facts[i], facts[other]] = [facts[other]!, facts[i]!];
  }
  return facts;
}
