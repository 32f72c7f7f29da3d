import { quoteName } from '../../store/sqlite/quote-name.ts';
import { COMMON_COLUMNS, FACT_TABLES, type FactTableName } from '../facts/fact-tables.ts';
import { DIALECTS, type Engine } from './dialect.ts';
import type { FactPlace, FactSource } from './views.ts';

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const columnsOf = (table: FactTableName) => Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });

/** What a lake is: the place before `/<table>/`, a folder or an address; and the tables that have files. */
export interface Lake {
  readonly root: string;
  readonly tables: ReadonlySet<string>;
}

/** How an engine reads the Parquet files of a table. A table that nothing was written to has no files. */
const READ_FILES: Readonly<Partial<Record<Engine, (table: FactTableName, files: string) => string>>> = {
  duckdb: (table, files) => `(
    select * from read_parquet(${quote(files)}, union_by_name = true, hive_partitioning = false)
    union all by name ${selectNone('duckdb', table)}
  )`,
  clickhouse: (table, files) => {
    const columns = columnsOf(table).map(([name, type]) => `${name} ${DIALECTS.clickhouse.types[type]}`);
    const read = /^https?:/.test(files) ? 's3' : 'file';
    return `${read}(${quote(files)}, 'Parquet', ${quote(columns.join(', '))})`;
  },
};

/** A query that returns all columns of a table, and no rows. */
function selectNone(engine: Engine, table: FactTableName): string {
  const columns = columnsOf(table).map(([name, type]) => `cast(null as ${DIALECTS[engine].types[type]}) as ${name}`);
  return `select ${columns.join(', ')} where 1 = 0`;
}

/** Returns a lake as an engine reads it. */
export function findInLake(engine: Engine, { root, tables }: Lake): FactPlace {
  const source: FactSource = (table) =>
    tables.has(table) ? READ_FILES[engine]!(table, `${root}/${table}/*/*.parquet`) : `(${selectNone(engine, table)})`;
  return { prelude: [], source };
}

/**
 * Returns the fact tables of a schema of PostgreSQL. Views are in a schema of their own, `<schema>_views`, and tables with their
 * rows in `<schema>_tables`. New tables are created in a third one, so that people can read the earlier ones meanwhile.
 */
export function findInPostgres(schema: string): FactPlace {
  const [views, tables, created] = ['views', 'tables', 'new_tables'].map((part) => quoteName(`${schema}_${part}`));
  return {
    prelude: [`create schema if not exists ${views}`, `set search_path = ${views}`],
    source: (table) => `${quoteName(schema)}.${table}`,
    tables: {
      prelude: [
        `create schema if not exists ${tables}`,
        `create schema ${created}`,
        `set search_path = ${created}, ${views}`,
      ],
      replace: (names) => [
        `drop table if exists ${names.map((name) => `${tables}.${name}`).join(', ')}`,
        ...names.map((name) => `alter table ${created}.${name} set schema ${tables}`),
        `drop schema ${created}`,
        `set search_path = ${tables}, ${views}`,
      ],
    },
  };
}
