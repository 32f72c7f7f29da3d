import { DAY } from '#base/clock.ts';
import { formatDay } from '#base/units.ts';
import type { Observation } from '#store/schema/commit-messages.ts';
import type { FieldCounts } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Counts fields of pages, and writes the sums once per transaction, in one statement: one write per field and page is too slow. */
export type FieldCounter = ReturnType<typeof prepareFieldCounter>;

/** The sums of the fields of an item type, in the order of their names. */
interface Sums {
  readonly names: readonly string[];
  readonly inspected: number[];
  readonly filled: number[];
}

export function prepareFieldCounter({ $client }: Db) {
  const addAll = $client.prepare(`
    insert into _field_statistics (endpoint, day, is_drift, field, inspected_count, filled_count)
    select value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5 from json_each(?) where true
    on conflict (endpoint, field, is_drift, day) do update set
      inspected_count = inspected_count + excluded.inspected_count, filled_count = filled_count + excluded.filled_count`);
  /** By endpoint, day, whether it is drift, item type and first field, as JSON, in order of arrival. */
  const sums = new Map<string, Sums>();
  let today = { number: NaN, text: '' };

  function count(
    of: readonly [endpoint: string, day: string, isDrift: 0 | 1, prefix: string],
    { names, items, filled }: Omit<FieldCounts, 'itemType'>,
  ): void {
    const key = JSON.stringify([...of, names[0]]);
    let known = sums.get(key);
    if (!known) sums.set(key, (known = { names, inspected: names.map(() => 0), filled: names.map(() => 0) }));
    for (let i = 0; i < filled.length; i++) {
      known.inspected[i]! += items;
      known.filled[i]! += filled[i]!;
    }
  }

  return {
    add(endpoint: string, { at, rows }: Observation): void {
      const number = Math.floor(at / DAY);
      if (number !== today.number) today = { number, text: formatDay(at) };
      const day = today.text;
      for (const fields of rows.fields ?? []) count([endpoint, day, 0, `${fields.itemType}.`], fields);
      for (const { field } of rows.drift) count([endpoint, day, 1, ''], { names: [field], items: 1, filled: [1] });
    },
    /** Writes the sums, inside the transaction that stores the pages. */
    flush(): void {
      if (sums.size === 0) return;
      const rows = [...sums].flatMap(([key, { names, inspected, filled }]) => {
        const [endpoint, day, isDrift, prefix] = JSON.parse(key) as [string, string, number, string];
        return names.map((name, i) => [endpoint, day, isDrift, prefix + name, inspected[i], filled[i]]);
      });
      addAll.run(JSON.stringify(rows));
      sums.clear();
    },
    /** Discards the sums, at the begin of a transaction. */
    reset: (): void => sums.clear(),
  };
}
