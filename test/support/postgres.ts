import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { findFreePort } from './free-port.ts';
import { tempDir } from './temp.ts';

const INSTALLED = '/usr/lib/postgresql';

/** The folder of the programs of the newest installed version; undefined if there is none. */
const findPrograms = (): string | undefined =>
  (existsSync(INSTALLED) ? readdirSync(INSTALLED) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(INSTALLED, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')));

export const isPostgresInstalled = (): boolean => findPrograms() !== undefined;

/** Servers do not run as root. */
const NOBODY = 65_534;
const isRoot = process.getuid?.() === 0;

/** A server with an empty database, which ends with the test. */
export interface PostgresServer {
  readonly port: number;
  /** The address of its database, without a schema. The user may do everything, with the password `secret`. */
  readonly address: string;
  /** Runs statements, and returns the rows of the last one as texts; null is `∅`. */
  ask(sql: string): string[][];
}

/** Starts a server in a temporary folder. */
export async function startPostgres(): Promise<PostgresServer> {
  const programs = findPrograms();
  if (programs === undefined) throw new Error('PostgreSQL is not installed: apt install postgresql');
  const folder = tempDir();
  if (isRoot) chownSync(folder, NOBODY, NOBODY);
  const run = (program: string, ...args: readonly string[]): void => {
    const { status, stdout, stderr } = spawnSync(join(programs, program), args, {
      encoding: 'utf8',
      cwd: folder,
      ...(isRoot && { uid: NOBODY, gid: NOBODY }),
    });
    expect(status, `${program}: ${stdout}${stderr}`).toBe(0);
  };
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const password = join(folder, 'password');
  writeFileSync(password, 'secret', { mode: 0o644 });
  const user = ['-U', 'crawler', '--pwfile', password, '--auth-host=scram-sha-256', '--auth-local=trust'];
  run('initdb', '-D', data, ...user, '-E', 'UTF8', '--locale=C', '--no-sync');
  const port = await findFreePort();
  const options = `-h 127.0.0.1 -p ${port} -k ${folder} -c fsync=off -c shared_buffers=32MB -c max_connections=40`;
  run('pg_ctl', '-D', data, '-l', log, '-o', options, '-w', 'start');
  onTestFinished(() => run('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop'));
  const address = `postgres://crawler:secret@127.0.0.1:${port}/postgres`;
  return { port, address, ask: (sql) => askPostgres(address, sql) };
}

/** Runs statements of a server with `psql`. */
function askPostgres(address: string, sql: string): string[][] {
  const separators = ['-F', '\x1f', '-R', '\x1e', '-P', 'null=∅'];
  const { status, stdout, stderr } = spawnSync(
    'psql',
    [address, '-X', '-q', '-At', '-v', 'ON_ERROR_STOP=1', ...separators],
    { input: sql, encoding: 'utf8', maxBuffer: 1e9 },
  );
  expect(status, stderr).toBe(0);
  const text = stdout.replace(/\n$/, '');
  return text === '' ? [] : text.split('\x1e').map((row) => row.split('\x1f'));
}
