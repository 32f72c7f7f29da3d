import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { DATABASE, findPostgresPrograms, startPostgresServer, SUPERUSER } from '../../support/postgres-server.ts';
import { createFactTables, type FleetEngine, SCHEMA, writeCsv } from './fleet-engine.ts';

const MAX_OUTPUT = 2 ** 30;

/** Starts a PostgreSQL server of its own. */
export async function openPostgres(): Promise<FleetEngine> {
  const server = await startPostgresServer({
    full_page_writes: 'off',
    jit: 'off',
    work_mem: '64MB',
    max_parallel_workers_per_gather: '0',
  });
  const connect = ['-h', '127.0.0.1', '-p', String(server.port), '-U', SUPERUSER, '-d', DATABASE];
  const run = (input: string): string =>
    execFileSync(join(findPostgresPrograms(), 'psql'), [...connect, '-X', '-q', '-v', 'ON_ERROR_STOP=1', '-A', '-t'], {
      input,
      encoding: 'utf8',
      maxBuffer: MAX_OUTPUT,
      env: { PGOPTIONS: '-c client_min_messages=warning' },
    });
  run(`${createFactTables('postgres').join(';\n')};\n`);

  return {
    engine: 'postgres',
    async load(facts) {
      const copies = [...writeCsv(facts)].map(
        ([table, csv]) => `copy ${SCHEMA}.${table} from stdin (format csv);\n${csv}\\.\nanalyze ${SCHEMA}.${table};\n`,
      );
      run(copies.join(''));
    },
    async read(view, columns) {
      const rows = run(
        `set search_path = ${SCHEMA}_views; select json_build_array(${columns.join(', ')}) from ${view};\n`,
      );
      return rows.split('\n').flatMap((row) => (row === '' ? [] : [JSON.parse(row) as unknown[]]));
    },
    async clear() {
      run(`truncate ${FACT_TABLE_NAMES.map((table) => `${SCHEMA}.${table}`).join(', ')};\n`);
    },
    [Symbol.asyncDispose]: server[Symbol.asyncDispose],
  };
}
