import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Redis } from 'ioredis';
import { expect, onTestFinished } from 'vitest';
import { buildChildEnvironment } from '#config.ts';
import { findFreePort } from './free-port.ts';
import { tempDir } from './temp.ts';

/** A redis-server process on a loopback port, in any mode. It ends with the test. */
export interface RedisServer {
  readonly port: number;
  readonly folder: string;
  /** A client of this server only. It ends with the test. */
  readonly client: Redis;
  /** Ends it by SIGKILL. */
  kill(): Promise<void>;
  /** Stops it by SIGSTOP: the system accepts connections to it, and it does not reply. */
  freeze(): void;
}

type Settings = Readonly<Record<string, string>>;

/** How long a group has to agree, on a machine that is busy. */
const AGREED = { timeout: 60_000, interval: 50 };
/** After this silence, a server counts as down. */
const DOWN_AFTER_MS = '2000';
const MAX_STARTS = 5;

/** Starts a server. Another process may take its port before it does: then it is started again with another one. */
async function startServer(settings: (port: number, folder: string) => string[] | Promise<string[]>) {
  for (let starts = 1; ; starts++) {
    const [port, folder] = [await findFreePort(), tempDir()];
    const args = await settings(port, folder);
    const child: ChildProcess = spawn('redis-server', args, {
      cwd: folder,
      env: buildChildEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const exited = once(child, 'exit');
    const lines: string[] = [];
    let isReady = false;
    for await (const line of createInterface(child.stdout!)) {
      lines.push(line);
      isReady = /ready to accept connections|Sentinel ID is/i.test(line);
      if (isReady) break;
    }
    // An unread pipe would block the server.
    child.stdout!.resume();
    const kill = async (): Promise<void> => {
      child.kill('SIGKILL');
      await exited;
    };
    onTestFinished(kill);
    if (isReady) return { port, folder, kill, freeze: () => void child.kill('SIGSTOP') };
    if (starts === MAX_STARTS) throw new Error(`redis-server does not start: ${lines.join('\n')}`);
  }
}

const toArguments = (settings: Settings): string[] =>
  Object.entries(settings).flatMap(([name, value]) => [`--${name}`, ...value.split(' ')]);

/** Starts a server with settings, which may depend on its port. */
export async function startRedisServer(more: Settings | ((port: number) => Settings) = {}): Promise<RedisServer> {
  const server = await startServer((port, dir) =>
    toArguments({
      port: String(port),
      bind: '127.0.0.1',
      dir,
      save: '',
      appendonly: 'no',
      ...(typeof more === 'function' ? more(port) : more),
    }),
  );
  return { ...server, client: connectTo(server.port) };
}

function connectTo(port: number, options: { password?: string } = {}): Redis {
  const client = new Redis({ port, host: '127.0.0.1', lazyConnect: true, ...options });
  // A killed server.
  client.on('error', () => undefined);
  onTestFinished(() => client.disconnect());
  return client;
}

/** Sentinels that watch a primary and its replica. */
export interface SentinelGroup {
  /** Kills the primary that the Sentinels name. */
  killPrimary(): Promise<void>;
  readonly sentinels: readonly RedisServer[];
  readonly servers: readonly RedisServer[];
  /** `host:port` of all Sentinels, with commas between them. */
  readonly hosts: string;
}

export const GROUP = 'crawls';

export async function startSentinelGroup(
  options: { sentinelPassword?: string; names?: string[]; count?: number } = {},
): Promise<SentinelGroup> {
  const { sentinelPassword = '', names = [GROUP], count = 3 } = options;
  const primary = await startRedisServer();
  const replica = await startRedisServer({ replicaof: `127.0.0.1 ${primary.port}` });
  await expect.poll(() => replica.client.info('replication'), AGREED).toContain('master_link_status:up');
  const sentinels = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = await startServer((port, folder) => {
        const file = join(folder, 'sentinel.conf');
        const groups = names.flatMap((name) => [
          `sentinel monitor ${name} 127.0.0.1 ${primary.port} ${Math.floor(count / 2) + 1}`,
          `sentinel down-after-milliseconds ${name} ${DOWN_AFTER_MS}`,
          `sentinel failover-timeout ${name} 10000`,
        ]);
        const secured = sentinelPassword ? [`requirepass ${sentinelPassword}`] : [];
        writeFileSync(file, [`port ${port}`, `dir ${folder}`, 'bind 127.0.0.1', ...secured, ...groups].join('\n'));
        return [file, '--sentinel'];
      });
      return { ...server, client: connectTo(server.port, sentinelPassword ? { password: sentinelPassword } : {}) };
    }),
  );
  for (const { client } of sentinels) {
    const state = async (): Promise<string> => {
      const [fields] = (await client.call('SENTINEL', 'MASTERS')) as string[][];
      const field = (name: string): string => fields![fields!.indexOf(name) + 1]!;
      return `${field('num-slaves')} replica, ${field('num-other-sentinels')} other Sentinels`;
    };
    await expect.poll(state, AGREED).toBe(`1 replica, ${count - 1} other Sentinels`);
  }
  const servers = [primary, replica];
  return {
    sentinels,
    servers,
    hosts: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(','),
    async killPrimary() {
      const [, port] = (await sentinels[0]!.client.call('SENTINEL', 'get-master-addr-by-name', names[0]!)) as string[];
      await servers.find((server) => server.port === Number(port))!.kill();
    },
  };
}

/** Three masters with a third of the slots each, and a replica for each of them. */
export interface RedisCluster {
  readonly nodes: readonly RedisServer[];
  /** `host:port` of all nodes, with commas between them. */
  readonly hosts: string;
  /** Kills the master that has the slot of a key, unless it took over from a killed one: then it has no replica. */
  killMasterOf(key: string): Promise<void>;
}

const SLOTS = ['0 5460', '5461 10922', '10923 16383'];

export async function startRedisCluster(more: Settings = {}): Promise<RedisCluster> {
  const nodes = await Promise.all(
    Array.from({ length: 2 * SLOTS.length }, async () => {
      const busPort = String(await findFreePort());
      return await startRedisServer({
        'cluster-enabled': 'yes',
        'cluster-port': busPort,
        'cluster-node-timeout': DOWN_AFTER_MS,
        'cluster-config-file': 'nodes.conf',
        'cluster-replica-validity-factor': '0',
        ...more,
      });
    }),
  );
  const [first] = nodes;
  for (const [n, slots] of SLOTS.entries())
    await nodes[n]!.client.call('CLUSTER', 'ADDSLOTSRANGE', ...slots.split(' '));
  const [, bus = ''] = (await first!.client.config('GET', 'cluster-port')) as string[];
  // A busy node may miss a handshake, which expires.
  const meet = async (): Promise<number[]> =>
    await Promise.all(
      nodes.map(async ({ client }) => {
        const lines = ((await client.cluster('NODES')) as string).trim().split('\n');
        const known = lines.filter((line) => !line.includes('handshake')).length;
        if (known < nodes.length) await client.call('CLUSTER', 'MEET', '127.0.0.1', first!.port, bus);
        return known;
      }),
    );
  await expect.poll(meet, { ...AGREED, interval: 1000 }).toEqual(nodes.map(() => nodes.length));
  await Promise.all(
    SLOTS.map(async (_, n) => {
      const id = await nodes[n]!.client.cluster('MYID');
      const replica = nodes[n + SLOTS.length]!.client;
      await expect.poll(() => replica.call('CLUSTER', 'REPLICATE', id).catch(String), AGREED).toBe('OK');
      await expect.poll(() => replica.info('replication'), AGREED).toContain('master_link_status:up');
    }),
  );
  for (const { client } of nodes) await expect.poll(() => client.cluster('INFO'), AGREED).toContain('cluster_state:ok');
  const countReplicas = async (client: Redis): Promise<number> =>
    (await client.cluster('SLOTS')).filter((range) => range.length > 3).length;
  for (const { client } of nodes) await expect.poll(() => countReplicas(client), AGREED).toBe(SLOTS.length);
  return {
    nodes,
    hosts: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
    async killMasterOf(key) {
      const alive = nodes.find(({ client }) => client.status === 'ready')!.client;
      const slot = (await alive.cluster('KEYSLOT', key)) as number;
      const range = (await alive.cluster('SLOTS')).find(([from, to]) => from <= slot && slot <= to)!;
      const [, port] = range[2] as unknown as [string, number];
      await nodes
        .slice(0, SLOTS.length)
        .find((node) => node.port === port)
        ?.kill();
    },
  };
}
