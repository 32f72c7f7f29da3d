import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Client } from 'pg';
import { findFreePort } from './free-port.ts';

/** Returns Debian's folder of PostgreSQL, of version 15 if there are several; undefined if it is not installed. */
export function findInstalledPostgres(): string | undefined {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root)
    ? readdirSync(root)
        .map(Number)
        .filter((version) => version >= 15)
    : [];
  const version = versions.includes(15) ? 15 : versions.at(-1);
  return version === undefined ? undefined : join(root, String(version), 'bin');
}

/** Returns the folder of PostgreSQL's programs. @throws if it is not installed */
export function findPostgresPrograms(): string {
  const programs = findInstalledPostgres();
  if (programs === undefined) throw new Error('PostgreSQL 15 or later is not installed: apt install postgresql');
  return programs;
}

/** The user of the server, which refuses to run as root: Debian's package creates `postgres`. */
function findServerUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const [uid, gid] = ['-u', '-g'].map((option) =>
    Number(execFileSync('id', [option, 'postgres'], { encoding: 'utf8' })),
  );
  return { uid: uid!, gid: gid! };
}

export const SUPERUSER = 'trawl';
export const DATABASE = 'facts';

/** A new folder of the server's user. */
function createHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'trawl-pg-'));
  const user = findServerUser();
  if (user) chownSync(home, user.uid, user.gid);
  return home;
}

let template: string | undefined;

/** A new database cluster, copied for each server: creating one takes seconds. */
function findTemplate(): string {
  if (template !== undefined) return template;
  const home = createHome();
  process.once('exit', () => rmSync(home, { recursive: true, force: true }));
  const user = findServerUser();
  const folder = join(home, 'data');
  const options = ['--no-sync', '--locale=C.UTF-8', '--encoding=UTF8', '--wal-segsize=1', `--username=${SUPERUSER}`];
  execFileSync(join(findPostgresPrograms(), 'initdb'), [...options, '--auth=trust', '-D', folder], {
    ...user,
    stdio: 'pipe',
  });
  template = folder;
  return folder;
}

/** A PostgreSQL server on a loopback port, with data that survive SIGKILL. Its data go with it. */
export interface PostgresServer {
  readonly port: number;
  readonly folder: string;
  /** The address of its database, as of a target. */
  readonly address: string;
  /** Runs statements as the superuser. Returns the rows of the last one. @param database `facts` by default */
  ask(sql: string, values?: readonly unknown[], database?: string): Promise<unknown[][]>;
  /** Ends the server and all its processes by SIGKILL. */
  kill(): Promise<void>;
  /** Starts it again after `kill`, on the same port. */
  start(): Promise<void>;
  /** Kills it, if nobody else has, and starts it again. */
  restart(): Promise<void>;
  readonly pid: number;
}

const MAX_STARTS = 50;

/**
 * Starts a server.
 * @param settings of postgresql.conf @param rule of pg_hba.conf for connections by TCP; it trusts everybody by default
 * @param files further files in its folder, with their contents
 */
export async function startPostgresServer(
  settings: Readonly<Record<string, string>> = {},
  rule = 'host all all 127.0.0.1/32 trust',
  files: Readonly<Record<string, string>> = {},
): Promise<PostgresServer & AsyncDisposable> {
  const user = findServerUser();
  const home = createHome();
  const folder = join(home, 'data');
  execFileSync('cp', ['-a', findTemplate(), folder], { ...user });
  const lines = Object.entries({
    listen_addresses: '127.0.0.1',
    unix_socket_directories: home,
    fsync: 'off',
    shared_buffers: '16MB',
    max_connections: '20',
    log_min_messages: 'log',
    autovacuum: 'off',
    ...settings,
  }).map(([name, value]) => `${name} = '${value}'\n`);
  appendFileSync(join(folder, 'postgresql.conf'), lines.join(''));
  writeFileSync(join(folder, 'pg_hba.conf'), `local all all trust\n${rule}\n`);
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(folder, name), content, { mode: 0o600 });
    if (user) chownSync(join(folder, name), user.uid, user.gid);
  }

  let port = await findFreePort();
  let child: ChildProcess | undefined;
  let isReady = false;
  let isFirst = true;

  async function startOnce(): Promise<string> {
    const started = spawn(join(findPostgresPrograms(), 'postgres'), ['-D', folder, '-p', String(port)], {
      ...user,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    child = started;
    const seen: string[] = [];
    for await (const line of createInterface(started.stderr!)) {
      seen.push(line);
      isReady = line.includes('ready to accept connections');
      if (isReady) break;
    }
    // An unread pipe would block the server.
    started.stderr!.resume();
    return seen.join('\n');
  }

  /** Starts it again if its port was taken meanwhile, or while processes of the killed one end. */
  async function start(): Promise<void> {
    for (let starts = 1; ; starts += 1) {
      const output = await startOnce();
      if (isReady) return;
      if (starts === MAX_STARTS) throw new Error(`PostgreSQL does not start:\n${output}`);
      if (isFirst) port = await findFreePort();
    }
  }

  async function kill(): Promise<void> {
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const { pid } = child;
    const exited = once(child, 'exit');
    isReady = false;
    for (const each of [pid!, ...listChildren(pid!)]) {
      try {
        process.kill(each, 'SIGKILL');
      } catch {
        // It ended before.
      }
    }
    await exited;
  }

  async function dispose(): Promise<void> {
    await kill();
    rmSync(home, { recursive: true, force: true });
  }

  async function ask(sql: string, values: readonly unknown[] = [], database = DATABASE): Promise<unknown[][]> {
    const client = new Client({ host: home, port, user: SUPERUSER, database });
    client.on('error', () => undefined);
    for (const [type, parse] of Object.entries(TYPE_PARSERS)) client.setTypeParser(Number(type), parse);
    await client.connect();
    try {
      const given = values.length > 0 ? { values: [...values] } : {};
      const result = await client.query<unknown[]>({ text: sql, rowMode: 'array', ...given });
      // Several statements have several results.
      return [result].flat().at(-1)?.rows ?? [];
    } finally {
      await client.end();
    }
  }

  try {
    await start();
    isFirst = false;
    await ask(`create database ${DATABASE}`, [], 'postgres');
  } catch (error) {
    await dispose();
    throw error;
  }
  return {
    get port() {
      return port;
    },
    get address() {
      return `postgres://${SUPERUSER}@127.0.0.1:${port}/${DATABASE}`;
    },
    get pid() {
      return child!.pid!;
    },
    folder,
    ask,
    kill,
    start,
    async restart() {
      await kill();
      await start();
    },
    [Symbol.asyncDispose]: dispose,
  };
}

/** The processes that a server started. They have process groups of their own. */
const listChildren = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

/** Times in milliseconds, and numbers of type bigint as numbers. */
const TYPE_PARSERS = { 20: Number, 1184: (text: string) => Date.parse(text) } as const;
