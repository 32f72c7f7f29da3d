import { COMMON_COLUMNS, FACT_TABLES } from '../../../src/ship/facts/fact-tables.ts';
import type { DealtFact } from './deal-facts.ts';

/** A row of `v_user_changes` or `v_tweet_changes`. */
type Change = readonly [
  id: string,
  handle: string,
  field: string,
  before: string,
  after: string,
  lastSeenAt: string,
  changedAt: string,
];

/**
 * Returns the accounts and tweets with a change at a time at which no response showed the column: the store no longer knows when
 * (value-timeline.ts). A page that was stored late has divided a period, whose single sightings the store does not keep.
 * @param changes rows of a store's views
 */
export function findLostSightings(changes: readonly string[], facts: readonly DealtFact[]): Set<string> {
  const rows = changes.map((row) => JSON.parse(row) as Change);
  const ids = new Set(rows.map(([id]) => id));
  const shown = new Set<string>();
  for (const { table, values } of facts) {
    if (table !== 'user_sightings' && table !== 'tweet_sightings') continue;
    const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
    const id = values[columns.indexOf('rest_id')] as string;
    if (!ids.has(id)) continue;
    const time = new Date(values[columns.indexOf('seen_at')] as number).toISOString();
    for (const [i, column] of columns.entries()) if (values[i] != null) shown.add(`${id} ${column} ${time}`);
  }
  const isLost = ([id, , field, , , lastSeenAt, changedAt]: Change): boolean =>
    [lastSeenAt, changedAt].some((time) => !shown.has(`${id} ${field} ${time}`));
  return new Set(rows.filter(isLost).map(([id]) => id));
}
