import { sql } from 'drizzle-orm';
import { DAY } from '../../clock.ts';
import { placeholders } from '../merge/merge-rules.ts';
import type { Observation } from '../schema/messages.ts';
import { fieldsByDay } from '../schema/tables.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';

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
  readonly day: number;
  readonly field: string;
  readonly isDrift: boolean;
  items: number;
  filled: number;
}

export function prepareFieldCounter(db: Db): FieldCounter {
  const upsert = compileStatement(
    db,
    db
      .insert(fieldsByDay)
      .values(placeholders(fieldsByDay, ['endpoint', 'day', 'field', 'isDrift', 'items', 'filled']))
      .onConflictDoUpdate({
        target: [fieldsByDay.endpoint, fieldsByDay.field, fieldsByDay.isDrift, fieldsByDay.day],
        set: {
          items: sql`${fieldsByDay.items} + excluded.items`,
          filled: sql`${fieldsByDay.filled} + excluded.filled`,
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
      const day = at - (at % DAY);
      for (const { itemType, names, items, filled } of rows.fields ?? []) {
        const known = sumsOf(`${endpoint} ${day} ${itemType}`, () =>
          names.map((name) => ({ endpoint, day, field: `${itemType}.${name}`, isDrift: false, items: 0, filled: 0 })),
        );
        for (let i = 0; i < filled.length; i++) {
          known[i]!.items += items;
          known[i]!.filled += filled[i]!;
        }
      }
      for (const { field } of rows.drift) {
        const [sum] = sumsOf(`${endpoint} ${day} ? ${field}`, () => [
          { endpoint, day, field, isDrift: true, items: 0, filled: 0 },
        ]);
        sum!.items += 1;
        sum!.filled += 1;
      }
    },
    flush() {
      for (const fields of sums.values()) for (const sum of fields) upsert.run(sum);
      sums.clear();
    },
    reset: () => sums.clear(),
  };
}
