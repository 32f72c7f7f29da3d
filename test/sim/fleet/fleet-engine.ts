import {
  COMMON_COLUMNS,
  FACT_TABLE_NAMES,
  FACT_TABLES,
  type FactTableName,
} from '../../../src/ship/facts/fact-tables.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { DIALECTS, type Engine } from '../../../src/ship/views/dialect.ts';
import { findInPostgres } from '../../../src/ship/views/fact-places.ts';
import type { DealtFact } from './deal-facts.ts';

/** An engine with the facts of many seeds and their views. */
export interface FleetEngine extends AsyncDisposable {
  readonly engine: Engine;
  load(facts: readonly DealtFact[]): Promise<void>;
  /** Returns the rows of a view. @param columns in the order of the values */
  read(view: string, columns: readonly string[]): Promise<unknown[][]>;
  /** Removes all facts. */
  clear(): Promise<void>;
}

/** The schema of the fact tables. */
export const SCHEMA = 'trawl';

/** Returns the statements that create fact tables and the views of them. */
export const createFactTables = (engine: Engine): string[] => [
  `create schema ${SCHEMA}`,
  ...FACT_TABLE_NAMES.map((table) => {
    const columns = Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
    const { types } = DIALECTS[engine];
    return `create table ${SCHEMA}.${table} (${columns.map(([name, type]) => `${name} ${types[type]}`).join(', ')})`;
  }),
  ...createViews(engine, findInPostgres(SCHEMA)),
];

/** Returns the facts of each table as CSV. Texts are in quotes, nulls are empty. */
export function writeCsv(facts: readonly DealtFact[]): Map<FactTableName, string> {
  const lines = new Map<FactTableName, string[]>();
  for (const { table, values } of facts) {
    const types = Object.values({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
    const line = values.map((value, i) => {
      if (value == null) return '';
      if (types[i] === 'timestamp') return new Date(value as number).toISOString();
      return types[i] === 'text' ? `"${String(value).replaceAll('"', '""')}"` : String(value);
    });
    if (!lines.has(table)) lines.set(table, []);
    lines.get(table)!.push(line.join(','));
  }
  return new Map([...lines].map(([table, rows]) => [table, `${rows.join('\n')}\n`]));
}
