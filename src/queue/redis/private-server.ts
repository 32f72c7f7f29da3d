import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TrawlError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { type RedisBackend, waitForEnd } from './backend.ts';
import { lock, type RuntimeFiles } from './runtime-dir.ts';

/**
 * A redis-server of our own, on a unix socket, shared by the trawl processes that use one store. The first one starts
 * it and the last one stops it; in between it belongs to none of them, so it outlives the one that started it. Who is
 * in is what Redis itself says: every process keeps one named connection open for as long as it takes part, and the
 * kernel closes that of a killed process. Coming and going happen under one lock.
 */

const PROGRAMS = ['redis-server', 'valkey-server'];
const PRESENCE = 'trawl-presence';
const POLL_MS = 20;
const REVIVALS = 10;
const START_PATIENCE_MS = 10_000;
const ANSWER_PATIENCE_MS = 3000;

interface ServerOptions {
  readonly files: RuntimeFiles;
  /** All that the server inherits: it needs no key, and outlives the process that started it. */
  readonly environment: Readonly<Record<string, string>>;
  readonly log?: Log | undefined;
}

/**
 * Joins the store's server, or starts it; undefined when this machine has no program for it, or one that fails. Should
 * the server die while we take part, it is started again, empty: crawls are queued again from the store (invariant 2).
 */
export async function joinPrivateServer(options: ServerOptions): Promise<RedisBackend | undefined> {
  const { files, log } = options;
  let leaving = false;
  let reviving = Promise.resolve();
  const first = await join();
  if (!first) return undefined;
  let { presence } = first;
  watch();

  async function join(): Promise<{ presence: Redis; running: boolean } | undefined> {
    using _lock = await lock(files.lock);
    const running = await enter(files.socket);
    const presence = running ?? (await launch(options));
    return presence && { presence, running: running !== undefined };
  }

  function watch(): void {
    presence.once('close', () => {
      if (!leaving) reviving = revive();
    });
  }

  async function revive(): Promise<void> {
    log?.warn('the private redis-server is gone; starting another');
    // One that is just dying may still accept a connection, and drop it.
    for (let attempt = 1; attempt <= REVIVALS && !leaving; attempt++) {
      const again = await join().catch(() => undefined);
      if (again) {
        ({ presence } = again);
        return watch();
      }
      await delay(attempt * 100);
    }
    if (!leaving) log?.error('it cannot be started again: end this process and start anew');
  }

  return {
    connection: { path: files.socket },
    description: `a private redis-server (${first.running ? 'joined' : 'started'}, ${files.socket})`,
    async stop() {
      leaving = true;
      // Else the server that is just being started would be left behind, with us in it.
      await reviving;
      await leave(presence, files);
    },
  };
}

/** Opens this process's presence in the server behind the socket; undefined when nothing listens there. */
async function enter(socket: string): Promise<Redis | undefined> {
  const presence = new Redis({
    path: socket,
    connectionName: PRESENCE,
    lazyConnect: true,
    commandTimeout: ANSWER_PATIENCE_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  let reason: NodeJS.ErrnoException | undefined;
  presence.on('error', (error) => (reason = error));
  try {
    await presence.connect();
    return presence;
  } catch {
    // Not when it is closed already: ioredis would keep the process alive for two seconds.
    if (presence.status !== 'end') presence.disconnect();
    if (reason?.code === 'ENOENT' || reason?.code === 'ECONNREFUSED') return undefined;
    throw new TrawlError(`the redis-server of this database does not answer (${socket})`, {
      hint: 'End that process and start again, or set REDIS_URL.',
      cause: reason,
    });
  }
}

/** Starts a server and enters it. A socket that a dead one left is replaced. */
async function launch({ files, environment, log }: ServerOptions): Promise<Redis | undefined> {
  rmSync(files.socket, { force: true });
  rmSync(files.log, { force: true });
  const server = await spawnFirst(PROGRAMS, serverArguments(files), environment);
  if (!server) return undefined;
  const isAlive = (): boolean => server.exitCode === null && server.signalCode === null;
  for (let waited = 0; waited < START_PATIENCE_MS && isAlive(); waited += POLL_MS) {
    const presence = await enter(files.socket);
    if (presence) return presence;
    await delay(POLL_MS);
  }
  server.kill();
  log?.warn({ reason: lastWords(files.log) }, 'redis-server is installed but did not start');
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

/** The first program that exists, in a session of its own: a Ctrl-C in the terminal does not reach it. */
async function spawnFirst(
  programs: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<ChildProcess | undefined> {
  for (const program of programs) {
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

/** Leaves the server, and stops it when nobody else is in. A server that was killed leaves its socket: it is removed. */
async function leave(lastPresence: Redis, files: RuntimeFiles): Promise<void> {
  using _lock = await lock(files.lock);
  let presence: Redis | undefined = lastPresence;
  if (presence.status !== 'ready') {
    if (presence.status !== 'end') presence.disconnect();
    try {
      presence = await enter(files.socket);
    } catch {
      return; // It is just dying: the next one to start replaces the socket.
    }
    if (!presence) return rmSync(files.socket, { force: true });
  }
  const closed = waitForEnd(presence);
  // One that has just died, or does not answer, is nothing to stop.
  const alone = await isAlone(presence).catch(() => false);
  // The answer to the first command is a closed connection.
  if (alone) presence.shutdown('NOSAVE').catch(() => {});
  else await presence.quit().catch(() => presence.disconnect());
  // Before the lock is free again: the next one to leave must not count this one.
  await closed;
  if (alone) rmSync(files.log, { force: true });
}

async function isAlone(presence: Redis): Promise<boolean> {
  const clients = String(await presence.client('LIST')).split('\n');
  return clients.filter((client) => client.includes(` name=${PRESENCE} `)).length === 1;
}

function lastWords(log: string): string {
  try {
    return readFileSync(log, 'utf8').trimEnd().split('\n').at(-1) ?? '';
  } catch {
    return 'it said nothing';
  }
}
