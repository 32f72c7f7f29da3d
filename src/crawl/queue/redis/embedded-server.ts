import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { TrawlError } from '#base/errors.ts';
import { tryFileLock } from '#store/sqlite/file-lock.ts';
import type { RedisBackend } from './redis-backend.ts';
import type { RuntimeFiles } from './runtime-dir.ts';

/**
 * Starts a Redis server in this process, for machines without redis-server: in memory (invariant 2), and for one process
 * per store. It uses parts of js-redis-server, whose own server listens on every network interface.
 */
export async function startEmbeddedServer(files: RuntimeFiles): Promise<RedisBackend> {
  const lock = tryFileLock(files.embeddedLock);
  if (!lock) throw inUse(files.embeddedPid);
  try {
    writeFileSync(files.embeddedPid, String(process.pid));
    rmSync(files.embeddedSocket, { force: true });
    const stop = await listen(files.embeddedSocket);
    return {
      connection: { path: files.embeddedSocket },
      description: 'the built-in queue, for the demo, tests and one small crawl; install redis-server for more',
      async stop() {
        await stop();
        rmSync(files.embeddedPid, { force: true });
        lock[Symbol.dispose]();
      },
    };
  } catch (error) {
    lock[Symbol.dispose]();
    throw error;
  }
}

/** Serves an empty Redis on a unix socket. Returns the function that stops it. */
async function listen(path: string): Promise<() => Promise<void>> {
  const { attachSession, createRedisCommandExecutor, RedisServerState, SocketConnectionTransport } =
    await import('js-redis-server/core');
  const state = new RedisServerState({ databaseCount: 16 });
  const executor = createRedisCommandExecutor();
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const { session } = attachSession(new SocketConnectionTransport(socket), { state, executor });
    socket.once('close', () => {
      sockets.delete(socket);
      // Otherwise a blocking command of a disconnected client keeps the process alive until its timeout.
      session.close();
    });
  });
  server.listen(path);
  await once(server, 'listening');
  return async () => {
    for (const socket of sockets) socket.destroy();
    server.close();
    await once(server, 'close');
    state.close();
  };
}

function inUse(pidFile: string): TrawlError {
  return new TrawlError(`another trawl process${owner(pidFile)} is using this database with the built-in queue`, {
    hint: 'Wait until it ends. For several processes at once install redis-server, or set REDIS_URL.',
  });
}

function owner(pidFile: string): string {
  try {
    return ` (pid ${readFileSync(pidFile, 'utf8')})`;
  } catch {
    return '';
  }
}
