import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FACT_TABLE_NAMES } from '../../../src/ship/facts/fact-tables.ts';
import { createFactTables, type FleetEngine, SCHEMA, writeCsv } from './fleet-engine.ts';

const ROOT = '/usr/lib/postgresql';
const MAX_OUTPUT = 2 ** 30;

/** Returns the folder of PostgreSQL's programs, 15 or later; undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const versions = existsSync(ROOT) ? readdirSync(ROOT).filter((version) => Number(version) >= 15) : [];
  return versions[0] && join(ROOT, versions[0], 'bin');
}

/** The server refuses to run as root: then it is the user `postgres`. */
function findUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const idOf = (option: string): number => Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' }));
  return { uid: idOf('-u'), gid: idOf('-g') };
}

/** Starts a PostgreSQL server of its own, which ends with the process. @param programs the folder of its programs */
export async function openPostgres(programs: string): Promise<FleetEngine> {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-pg-'));
  const user = findUser();
  chmodSync(folder, 0o755);
  if (user) chownSync(folder, user.uid, user.gid);
  const data = join(folder, 'data');
  execFileSync(
    join(programs, 'initdb'),
    ['--no-sync', '--locale=C.UTF-8', '--encoding=UTF8', '--username=trawl', '--auth=trust', '-D', data],
    { ...user, stdio: 'pipe' },
  );
  const settings = {
    ...{ listen_addresses: '', unix_socket_directories: folder, fsync: 'off', full_page_writes: 'off' },
    ...{ jit: 'off', work_mem: '64MB', autovacuum: 'off', max_parallel_workers_per_gather: '0' },
  };
  const options = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(join(programs, 'postgres'), ['-D', data, ...options], { ...user, stdio: 'ignore' });
  const connect = ['-h', folder, '-U', 'trawl', '-d', 'postgres', '-X', '-q', '-v', 'ON_ERROR_STOP=1'];
  const run = (input: string): string =>
    execFileSync(join(programs, 'psql'), [...connect, '-A', '-t'], {
      ...{ input, encoding: 'utf8', maxBuffer: MAX_OUTPUT, env: { PGOPTIONS: '-c client_min_messages=warning' } },
    });
  execFileSync('sh', ['-c', `until "${programs}/pg_isready" -q -h "${folder}"; do sleep 0.1; done`], {
    timeout: 60_000,
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
    async [Symbol.asyncDispose]() {
      const exited = once(server, 'exit');
      server.kill('SIGINT');
      await exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
