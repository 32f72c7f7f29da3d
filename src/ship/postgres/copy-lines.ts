import { pipeline } from 'node:stream/promises';
import { from as copyFrom } from 'pg-copy-streams';
import { COMMON_COLUMNS, FACT_TABLES, type FactTableName } from '../facts/fact-tables.ts';
import type { PostgresConnection } from './connect.ts';
import { qualify } from './fact-schema.ts';

/** The columns of a fact table, as SQL. */
export const writeColumnList = (table: FactTableName): string =>
  Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns }).join(', ');

/** Copies lines to a fact table, or to one like it. */
export const copyLines = async (
  { attempt }: PostgresConnection,
  table: FactTableName,
  place: string,
  chunks: readonly Buffer[],
): Promise<void> =>
  await attempt(async (client) => {
    await pipeline(chunks, client.query(copyFrom(`copy ${place} (${writeColumnList(table)}) from stdin`)));
  });

/** Creates a temporary table like a fact table, unless it is there. It is empty in each transaction. Returns its name. */
export async function createStage({ attempt, schema }: PostgresConnection, table: FactTableName): Promise<string> {
  const stage = `pg_temp.${table}_stage`;
  const like = `(like ${qualify(schema, table)}) on commit delete rows`;
  await attempt((client) => client.query(`create temp table if not exists ${stage} ${like}`));
  return stage;
}

/** Inserts the rows of a temporary table. */
export async function insertStage({ attempt, schema }: PostgresConnection, table: FactTableName): Promise<void> {
  const columns = writeColumnList(table);
  const rows = `select ${columns} from pg_temp.${table}_stage`;
  await attempt((client) => client.query(`insert into ${qualify(schema, table)} (${columns}) ${rows}`));
}
