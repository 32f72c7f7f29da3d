import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { onTestFinished } from 'vitest';
import { buildChildEnvironment } from '../../../src/config.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { defineViews, isPart } from '../../../src/ship/views/define-views.ts';
import { DIALECTS, type Engine } from '../../../src/ship/views/dialect.ts';
import { findInPostgres } from '../../../src/ship/views/fact-places.ts';
import { runSuccessfully } from '../../support/cli.ts';
import type { PostgresServer } from '../../support/postgres-server.ts';
import { tempFile } from '../../support/temp.ts';
import { runStatements } from '../postgres/server-engine.ts';

/** Names of all views that people query. */
const VIEWS = Object.keys(defineViews(DIALECTS.postgres, (table) => table)).filter((name) => !isPart(name));

/** Reads the views of a target in an engine. */
export interface ViewReader {
  /** Returns the rows of all views as texts, by view. */
  readAll(): Promise<Map<string, readonly string[]>>;
  ask(sql: string): Promise<unknown[][]>;
}

/** The rows of a view as texts. A body is shown as what it says. */
const asTexts = (engine: Engine, name: string, toText: string): string =>
  name === 'bodies'
    ? `select concat(parameters, ${DIALECTS[engine].textOf('body')}) from bodies`
    : `select ${toText} from ${name} v`;

export async function openDuckDb(): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  return connection;
}

/** Reads the views, or tables in their place, that a connection has. */
export function readDuckDb(connection: DuckDBConnection): ViewReader {
  const ask = async (sql: string): Promise<unknown[][]> => {
    const rows = (await connection.runAndReadAll(sql)).getRowsJS();
    return rows.map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)));
  };
  return {
    ask,
    readAll: async () => await readEach((name) => ask(asTexts('duckdb', name, 'to_json(v)::varchar'))),
  };
}

async function readEach(read: (name: string) => Promise<unknown[][]>): Promise<Map<string, readonly string[]>> {
  const all = new Map<string, readonly string[]>();
  for (const name of VIEWS) all.set(name, (await read(name)).map(([row]) => String(row)).toSorted());
  return all;
}

/** Creates the views of a server's fact tables. */
export async function createPostgresReader(server: PostgresServer): Promise<ViewReader> {
  await runStatements(server, createViews('postgres', findInPostgres('trawl')));
  const ask = async (sql: string): Promise<unknown[][]> =>
    await server.ask(`set search_path = trawl_views; set jit = off; ${sql}`);
  return { ask, readAll: async () => await readEach((name) => ask(asTexts('postgres', name, 'to_json(v)::text'))) };
}

/** Reads the views of a lake in a process with ClickHouse. */
export function readClickHouse(lake: string): ViewReader {
  async function askAll(queries: readonly string[]): Promise<unknown[][][]> {
    const { stdout: views } = await runSuccessfully(['ship', 'views', lake, '--engine', 'clickhouse']);
    const file = tempFile('queries.json');
    const statements = views.split(/;\n+/).filter((text) => text.trim() !== '');
    writeFileSync(file, JSON.stringify({ statements, queries }));
    const args = ['--import=tsx', join(import.meta.dirname, '../s3/ask-chdb.ts'), file];
    const options = { env: buildChildEnvironment(), maxBuffer: 64e6 };
    const { stdout } = await promisify(execFile)(process.execPath, args, options);
    return JSON.parse(stdout) as unknown[][][];
  }
  return {
    ask: async (sql) => (await askAll([sql]))[0]!,
    async readAll() {
      const found = await askAll(VIEWS.map((name) => asTexts('clickhouse', name, 'toString(tuple(v.*))')));
      return new Map(VIEWS.map((name, i) => [name, found[i]!.map(([row]) => String(row)).toSorted()]));
    },
  };
}
