import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { failure, runProcess } from '../support/cli.ts';
import { GROUP, type SentinelGroup, startSentinelGroup } from '../support/redis-topology.ts';
import { countStates, peopleOf, serve, withWorld } from './support.ts';

const world = withWorld(20, 5);
const COUNT = 4;
const handles = (): string[] => peopleOf(world, COUNT).map(({ handle }) => handle);
const urlOf = ({ hosts }: Pick<SentinelGroup, 'hosts'>): string => `redis+sentinel://${hosts}/${GROUP}`;

/** Kills the servers. A Sentinel still names the primary, since no replica can follow it. */
const killServers = async ({ servers }: SentinelGroup): Promise<unknown> =>
  await Promise.all(servers.map((server) => server.kill()));

/** Passes connections on to a local port, and counts them. */
async function startProxy(port: number) {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    const target = connect(port, '127.0.0.1');
    pipeline(socket, target, socket).catch(() => undefined);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return { hosts: `127.0.0.1:${(server.address() as AddressInfo).port}`, countConnections: () => connections };
}

// In processes of their own: a connection that is left open would keep one alive.
describe('Sentinels', () => {
  test('that name a dead primary: `enqueue` stores its crawls, and workers end with the reason', async () => {
    const group = await startSentinelGroup({ count: 1 });
    const service = await serve(world);
    const env = { ...service.env, REDIS_URL: urlOf(group) };
    await killServers(group);
    const reason = `cannot use Redis ${GROUP} of the Sentinels at ${group.hosts} (REDIS_URL): connection refused`;
    const queued = await runProcess(['enqueue', 'profile', ...handles(), '--yes'], { env });
    expect(queued).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`queued in the database only: ${reason}`),
    });
    expect(queued.stderr).toContain('The Sentinels name a primary that is down.');
    expect(countStates(service.db)).toEqual([{ state: 'queued', n: COUNT }]);
    expect(await runProcess(['work', '--exit-when-idle'], { env })).toEqual(failure(1, reason));
    expect(await runProcess(['crawl', 'profile', ...handles()], { env })).toEqual(failure(1, reason));
    expect(service.asked).toEqual([]);
  });

  test('that are lost with Redis before the last answer: the worker ends with everything stored', async () => {
    const group = await startSentinelGroup({ count: 1 });
    const [sentinel] = group.sentinels;
    const proxy = await startProxy(sentinel!.port);
    const service = await serve(world, {
      async onAsked({ n }) {
        if (n < COUNT) return;
        await Promise.all([killServers(group), sentinel!.kill()]);
        const before = proxy.countConnections();
        // By then all connections of the worker ask for the primary, those of the queues too.
        await vi.waitFor(() => expect(proxy.countConnections()).toBeGreaterThan(before + 100), { timeout: 120_000 });
      },
    });
    const env = { ...service.env, REDIS_URL: urlOf(proxy) };
    await runProcess(['enqueue', 'profile', ...handles(), '--yes'], { env });
    const ended = await runProcess(['work', '--exit-when-idle', '--concurrency', '1'], { env });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(countStates(service.db)).toEqual([{ state: 'complete', n: COUNT }]);
  });

  test('of which the first does not reply: the others are asked', async () => {
    const group = await startSentinelGroup();
    group.sentinels[0]!.freeze();
    const service = await serve(world);
    const env = { ...service.env, REDIS_URL: urlOf(group) };
    const ended = await runProcess(['crawl', 'profile', ...handles()], { env });
    expect(ended, ended.stderr).toMatchObject({ code: 0 });
    expect(countStates(service.db)).toEqual([{ state: 'complete', n: COUNT }]);
  });
});
