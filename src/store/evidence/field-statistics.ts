import { formatDay } from '#base/units.ts';
import { compileUpsert, takeSum } from '#store/merge/merge-rules.ts';
import type { Observation } from '#store/schema/commit-messages.ts';
import type { FieldCounts } from '#store/schema/normalised-rows.ts';
import { fieldStatistics } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';

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
    of: Pick<Counts, 'endpoint' | 'day' | 'isDrift'>,
    prefix: string,
    { names, items, filled }: Omit<FieldCounts, 'itemType'>,
  ): void {
    const key = `${of.endpoint} ${of.day} ${of.isDrift} ${prefix}${names[0]}`;
    let known = sums.get(key);
    if (!known) {
      known = names.map((name) => ({ ...of, field: prefix + name, inspectedCount: 0, filledCount: 0 }));
      sums.set(key, known);
    }
    for (let i = 0; i < filled.length; i++) {
      known[i]!.inspectedCount += items;
      known[i]!.filledCount += filled[i]!;
    }
  }

  return {
    add(endpoint: string, { at, rows }: Observation): void {
      const day = formatDay(at);
      for (const fields of rows.fields ?? []) count({ endpoint, day, isDrift: false }, `${fields.itemType}.`, fields);
      for (const { field } of rows.drift)
        count({ endpoint, day, isDrift: true }, '', { names: [field], items: 1, filled: [1] });
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
