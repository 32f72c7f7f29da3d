import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { onTestFinished } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { resolveRuntimeFiles } from '#crawl/queue/redis/runtime-dir.ts';
import { tempDir } from './temp.ts';

/** A redis-server that belongs to the test: when it is killed, it is not restarted. */
export interface RedisProcess {
  readonly url: string;
  readonly pid: number;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
}

/** Starts a redis-server on a socket, with further settings such as `{ port: 7000 }`. It ends with the test. */
export async function startRedisProcess(
  settings: Readonly<Record<string, string>> = {},
  folder = tempDir(),
): Promise<RedisProcess> {
  const socket = join(folder, 'redis.sock');
  const all = { port: '0', unixsocket: socket, save: '', appendonly: 'no', dir: folder, ...settings };
  const args = Object.entries(all).flatMap(([name, value]) => [`--${name}`, value]);
  const child: ChildProcess = spawn('redis-server', args, {
    env: buildChildEnvironment(),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await exited;
  };
  onTestFinished(kill);
  for await (const line of createInterface(child.stdout!)) if (/ready to accept connections/i.test(line)) break;
  return { url: `unix://${socket}`, pid: child.pid!, kill };
}

/** Kills the private redis-server of a store. */
export async function killPrivateRedis(store: string): Promise<void> {
  const redis = new Redis({ path: resolveRuntimeFiles(store).socket });
  const info = await redis.info('server');
  redis.disconnect();
  process.kill(Number(/process_id:(\d+)/.exec(info)![1]), 'SIGKILL');
}
