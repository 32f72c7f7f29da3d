import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { TrawlError } from '#base/errors.ts';
import type { Log } from '#base/log.ts';
import { waitForFileLock } from '#store/sqlite/file-lock.ts';
import { connectOnce, hasNoServer, waitForEnd } from './open-client.ts';
import type { RedisBackend } from './redis-backend.ts';
import type { RuntimeFiles } from './runtime-dir.ts';

/**
 * A private redis-server on a unix socket, which all trawl processes of a store share. The first process starts it and
 * the last one stops it; it outlives the process that started it. Redis itself counts the processes: each of them keeps
 * one named connection open, which the kernel closes when the process is killed. Joining and leaving use a lock.
 */

const PROGRAMS = ['redis-server', 'valkey-server'];
const PRESENCE = 'trawl-presence';
const POLL_MS = 20;
const MAX_RESTARTS = 10;
const START_TIMEOUT_MS = 10_000;
const RESPONSE_TIMEOUT_MS = 3000;

interface ServerOptions {
  readonly files: RuntimeFiles;
  /** The environment of the server, which needs no API key and outlives this process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log?: Log | undefined;
}

/**
 * Joins or starts the server of a store; undefined if no program is installed or it does not start. If the server dies
 * later, it is started again, empty; crawls are queued again from the store (invariant 2).
 */
export async function joinPrivateServer(options: ServerOptions): Promise<RedisBackend | undefined> {
  const { files, log } = options;
  let isLeaving = false;
  let restarting = Promise.resolve();
  const first = await join();
  if (!first) return undefined;
  let { presence } = first;
  watch();

  async function join(): Promise<{ presence: Redis; running: boolean } | undefined> {
    using _lock = await waitForFileLock(files.lock);
    const running = await openPresence(files.socket);
    const presence = running ?? (await launch(options));
    return presence && { presence, running: running !== undefined };
  }

  function watch(): void {
    presence.once('close', () => {
      if (!isLeaving) restarting = restart();
    });
  }

  async function restart(): Promise<void> {
    log?.warn('the private redis-server is gone; starting another');
    // A dying server may still accept a connection and close it.
    for (let attempt = 1; attempt <= MAX_RESTARTS && !isLeaving; attempt++) {
      const again = await join().catch(() => undefined);
      if (again) {
        ({ presence } = again);
        return watch();
      }
      await delay(attempt * 100);
    }
    if (!isLeaving) log?.error('redis-server cannot be restarted: restart this process');
  }

  return {
    connection: { path: files.socket },
    description: `a private redis-server (${first.running ? 'joined' : 'started'}, ${files.socket})`,
    async stop() {
      isLeaving = true;
      // Otherwise a server that is being started would stay.
      await restarting;
      await leave(presence, files);
    },
  };
}

/** Connects this process to a server; undefined if none listens on the socket. @throws TrawlError if it does not respond */
async function openPresence(socket: string): Promise<Redis | undefined> {
  const options = { connectionName: PRESENCE, commandTimeout: RESPONSE_TIMEOUT_MS };
  try {
    return await connectOnce({ path: socket }, options, async (presence) => presence as Redis);
  } catch (cause) {
    if (hasNoServer(cause)) return undefined;
    throw new TrawlError(`the redis-server of this database does not answer (${socket})`, {
      hint: 'End that process and start again, or set REDIS_URL.',
      cause,
    });
  }
}

/** Starts a server and connects to it. The socket of a dead server is replaced. */
async function launch({ files, environment, log }: ServerOptions): Promise<Redis | undefined> {
  rmSync(files.socket, { force: true });
  rmSync(files.log, { force: true });
  const server = await spawnServer(serverArguments(files), environment);
  if (!server) return undefined;
  const isAlive = (): boolean => server.exitCode === null && server.signalCode === null;
  for (let waited = 0; waited < START_TIMEOUT_MS && isAlive(); waited += POLL_MS) {
    const presence = await openPresence(files.socket);
    if (presence) return presence;
    await delay(POLL_MS);
  }
  server.kill();
  log?.warn({ reason: readLastLine(files.log) }, 'redis-server is installed but did not start');
  return undefined;
}

function serverArguments(files: RuntimeFiles): string[] {
  const settings = {
    port: '0',
    unixsocket: files.socket,
    unixsocketperm: '700',
    dir: dirname(files.socket),
    logfile: files.log,
    // In memory, because the store is the truth (invariant 2). Jobs are never evicted.
    save: '',
    appendonly: 'no',
    'maxmemory-policy': 'noeviction',
  };
  return Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
}

/** Starts the first installed program, in its own session, so that Ctrl-C in the terminal does not end it. */
async function spawnServer(
  args: readonly string[],
  env: ServerOptions['environment'],
): Promise<ChildProcess | undefined> {
  for (const program of PROGRAMS) {
    const child = spawn(program, args, { detached: true, stdio: 'ignore', env });
    try {
      await once(child, 'spawn');
      child.unref();
      return child;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  return undefined;
}

/** Leaves the server, and stops it if no other process uses it. The socket of a killed server is removed. */
async function leave(lastPresence: Redis, files: RuntimeFiles): Promise<void> {
  using _lock = await waitForFileLock(files.lock);
  let presence: Redis | undefined = lastPresence;
  if (presence.status !== 'ready') {
    if (presence.status !== 'end') presence.disconnect();
    try {
      presence = await openPresence(files.socket);
    } catch {
      return; // A dying server, whose socket the next one replaces.
    }
    if (!presence) return rmSync(files.socket, { force: true });
  }
  const closed = waitForEnd(presence);
  // A server that is dead or does not respond need not be stopped.
  const isLast = await isAlone(presence).catch(() => false);
  // The response to SHUTDOWN is a closed connection.
  if (isLast) presence.shutdown('NOSAVE').catch(() => {});
  else await presence.quit().catch(() => presence.disconnect());
  // Before the lock is released, so that the next process to leave does not count this one.
  await closed;
  if (isLast) rmSync(files.log, { force: true });
}

async function isAlone(presence: Redis): Promise<boolean> {
  const clients = String(await presence.client('LIST')).split('\n');
  return clients.filter((client) => client.includes(` name=${PRESENCE} `)).length === 1;
}

function readLastLine(log: string): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return 'it logged nothing';
  }
}
