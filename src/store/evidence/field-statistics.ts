import { formatDay } from '../../base/units.ts';
import { compileUpsert, takeSum } from '../merge/merge-rules.ts';
import type { Observation } from '../schema/commit-messages.ts';
import { fieldStatistics } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';

type Counts = typeof fieldStatistics.$inferInsert;

/** Counts fields of pages, and writes the sums once per transaction: one write per field and page is too slow. */
export type FieldCounter = ReturnType<typeof prepareFieldCounter>;

export function prepareFieldCounter(db: Db) {
  const upsert = compileUpsert(db, fieldStatistics, ['endpoint', 'field', 'isDrift', 'day'], {
    inspectedCount: takeSum,
    filledCount: takeSum,
  });
  /** The sums of fields by endpoint, day and item type, in order of arrival. */
  const sums = new Map<string, Counts[]>();

  /** Adds counts to the sums of fields. */
  function count(
    key: string,
    create: () => Pick<Counts, 'endpoint' | 'day' | 'field' | 'isDrift'>[],
    items: number,
    filled: readonly number[],
  ): void {
    let known = sums.get(key);
    if (!known) sums.set(key, (known = create().map((field) => ({ ...field, inspectedCount: 0, filledCount: 0 }))));
    for (let i = 0; i < filled.length; i++) {
      known[i]!.inspectedCount += items;
      known[i]!.filledCount += filled[i]!;
    }
  }

  return {
    add(endpoint: string, { at, rows }: Observation): void {
      const day = formatDay(at);
      for (const { itemType, names, items, filled } of rows.fields ?? []) {
        const create = () => names.map((name) => ({ endpoint, day, field: `${itemType}.${name}`, isDrift: false }));
        count(`${endpoint} ${day} ${itemType}`, create, items, filled);
      }
      for (const { field } of rows.drift)
        count(`${endpoint} ${day} ? ${field}`, () => [{ endpoint, day, field, isDrift: true }], 1, [1]);
    },
    /** Writes the sums, inside the transaction that stores the pages. */
    flush(): void {
      for (const fields of sums.values()) for (const sum of fields) upsert.run(sum);
      sums.clear();
    },
    /** Discards the sums, at the begin of a transaction. */
    reset: (): void => sums.clear(),
  };
}
