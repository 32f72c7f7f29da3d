import { sql } from 'drizzle-orm';
import { dayOf } from '../../clock.ts';
import type { Observation } from '../schema/messages.ts';
import { fieldStatistics } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement, placeholders } from '../sqlite/statement.ts';

/** Counts fields of pages, and writes the sums once per transaction: a row for each field and page would cost too much. */
export interface FieldCounter {
  add(endpoint: string, observation: Observation): void;
  /** Writes what was added since, within the transaction that stores the pages. */
  flush(): void;
  /** The transaction was undone, or begins. */
  reset(): void;
}

interface Sum {
  readonly endpoint: string;
  readonly day: string;
  readonly field: string;
  readonly isDrift: boolean;
  inspectedCount: number;
  filledCount: number;
}

export function prepareFieldCounter(db: Db): FieldCounter {
  const upsert = compileStatement(
    db
      .insert(fieldStatistics)
      .values(placeholders(fieldStatistics, ['endpoint', 'day', 'field', 'isDrift', 'inspectedCount', 'filledCount']))
      .onConflictDoUpdate({
        target: [fieldStatistics.endpoint, fieldStatistics.field, fieldStatistics.isDrift, fieldStatistics.day],
        set: {
          inspectedCount: sql`${fieldStatistics.inspectedCount} + excluded.inspected_count`,
          filledCount: sql`${fieldStatistics.filledCount} + excluded.filled_count`,
        },
      }),
  );
  /** By endpoint, day and sort of item, in the order in which they came: the sums of its fields. */
  const sums = new Map<string, Sum[]>();

  function sumsOf(key: string, create: () => Sum[]): Sum[] {
    let found = sums.get(key);
    if (!found) sums.set(key, (found = create()));
    return found;
  }

  return {
    add(endpoint, { at, rows }) {
      const day = dayOf(at);
      for (const { itemType, names, items, filled } of rows.fields ?? []) {
        const known = sumsOf(`${endpoint} ${day} ${itemType}`, () =>
          names.map((name) => ({
            endpoint,
            day,
            field: `${itemType}.${name}`,
            isDrift: false,
            inspectedCount: 0,
            filledCount: 0,
          })),
        );
        for (let i = 0; i < filled.length; i++) {
          known[i]!.inspectedCount += items;
          known[i]!.filledCount += filled[i]!;
        }
      }
      for (const { field } of rows.drift) {
        const [sum] = sumsOf(`${endpoint} ${day} ? ${field}`, () => [
          { endpoint, day, field, isDrift: true, inspectedCount: 0, filledCount: 0 },
        ]);
        sum!.inspectedCount += 1;
        sum!.filledCount += 1;
      }
    },
    flush() {
      for (const fields of sums.values()) for (const sum of fields) upsert.run(sum);
      sums.clear();
    },
    reset: () => sums.clear(),
  };
}
