import { escapeIdentifier } from 'pg';
import { COMMON_COLUMNS, FACT_TABLE_NAMES, FACT_TABLES, type FactType } from '../facts/fact-tables.ts';
import type { PostgresConnection } from './connect.ts';

/** The types of PostgreSQL. */
const TYPES: Readonly<Record<FactType, string>> = {
  text: 'text',
  integer: 'bigint',
  boolean: 'boolean',
  timestamp: 'timestamptz',
  blob: 'bytea',
};

/** What the target has of each store, as a lake has in `_stores`. */
export const STORES_TABLE = '_stores';
const STORES_COLUMNS = {
  store: 'text primary key',
  entry: 'bigint',
  sealed_at: 'timestamptz',
  snapshots: 'jsonb',
  digest: 'text',
};

/** The columns of all tables, with their types. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [STORES_TABLE]: STORES_COLUMNS,
  ...Object.fromEntries(
    FACT_TABLE_NAMES.map((table) => [
      table,
      Object.fromEntries(
        Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns }).map(([name, type]) => [name, TYPES[type]]),
      ),
    ]),
  ),
};

/** The name of a table in its schema, as SQL. */
export const qualify = (schema: string, table: string): string =>
  `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;

/** Returns the statements that create what is missing. @param existing the columns of the tables that are there */
function createStatements(schema: string, existing: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  return Object.entries(TABLES).flatMap(([table, columns]) => {
    const found = existing.get(table);
    const missing = Object.entries(columns).filter(([name]) => !found?.has(name));
    const defined = missing.map(([name, type]) => `${escapeIdentifier(name)} ${type}`);
    if (!found) return [`create table if not exists ${qualify(schema, table)} (${defined.join(', ')})`];
    if (missing.length === 0) return [];
    const added = defined.map((column) => `add column if not exists ${column}`);
    return [`alter table ${qualify(schema, table)} ${added.join(', ')}`];
  });
}

/** Returns the columns of the tables of a schema. Those of an earlier version lack some. */
export async function readColumns({ attempt, schema }: PostgresConnection): Promise<Map<string, Set<string>>> {
  const { rows } = await attempt((client) =>
    client.query<{ name: string; columns: string[] }>(
      `select c.relname as name, array_agg(a.attname::text) as columns
       from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
       where n.nspname = $1 and c.relkind in ('r', 'p', 'f') and a.attnum > 0 and not a.attisdropped group by 1`,
      [schema],
    ),
  );
  return new Map(rows.map(({ name, columns }) => [name, new Set(columns)]));
}

/**
 * Creates the schema, its tables and their new columns. If all are there, no right to create is needed.
 * @throws TrawlError without the right to create them
 */
export async function createFactTables(connection: PostgresConnection): Promise<void> {
  const { attempt, schema } = connection;
  if (createStatements(schema, await readColumns(connection)).length === 0) return;
  await attempt((client) => client.query('begin'));
  // Hosts that start at once do not create the same table.
  await attempt((client) => client.query(`select pg_advisory_xact_lock(hashtext('trawl.' || $1))`, [schema]));
  const { rowCount } = await attempt((client) => client.query('select from pg_namespace where nspname = $1', [schema]));
  const statements = createStatements(schema, await readColumns(connection));
  if (rowCount === 0) statements.unshift(`create schema ${escapeIdentifier(schema)}`);
  for (const statement of statements) await attempt((client) => client.query(statement));
  await attempt((client) => client.query('commit'));
}

/** Returns the tables whose rows are on other servers, or in partitions: rows are written there by statements. */
export async function findPartitionedTables({ attempt, schema }: PostgresConnection): Promise<Set<string>> {
  const { rows } = await attempt((client) =>
    client.query<{ name: string }>(
      `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind in ('p', 'f') and c.relname = any($2)`,
      [schema, FACT_TABLE_NAMES],
    ),
  );
  return new Set(rows.map(({ name }) => name));
}
