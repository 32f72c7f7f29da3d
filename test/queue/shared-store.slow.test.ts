import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { StaleLeaseError, StoreError, TrawlError, UsageError } from '#base/errors.ts';
import { createLog } from '#base/log.ts';
import type { GateHold } from '#crawl/gates/gates.ts';
import { openQueues } from '#crawl/queue/queues.ts';
import { joinStore, type JoinedStore } from '#crawl/queue/shared-store/join-store.ts';
import { shareStore } from '#crawl/queue/shared-store/share-store.ts';
import { readJoinedWorkers, sharedKeys } from '#crawl/queue/shared-store/store-session.ts';
import { createRemoteStore, prepareAnswers } from '#store/remote/store-calls.ts';
import { openStore, type Store } from '#store/store.ts';
import { pageOf, spec } from '../store/support.ts';
import { failure, runCli } from '../support/cli.ts';
import { type LocalRedis, withRedis } from '../support/redis.ts';
import { createStoreFile } from '../support/store-file.ts';

const log = createLog({ level: 'silent' });
const never = new AbortController().signal;
const HOST = 'service.example';

function openThreadedStore(): Store {
  const store = openStore(createStoreFile(), { threaded: true });
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

async function share(
  redis: LocalRedis,
  store: Store,
  answer = prepareAnswers(store),
  readShortage: () => GateHold | undefined = () => undefined,
) {
  const { prefix } = openQueues({ redis, storeId: store.id, isObserver: true });
  const { connect } = redis;
  const given = { connect, prefix, storeId: store.id, serviceHost: HOST, answer, readShortage, log };
  const shared = await shareStore(given);
  let ended: Promise<void> | undefined;
  const end = (): Promise<void> => (ended ??= Promise.resolve(shared[Symbol.asyncDispose]()));
  onTestFinished(end);
  return { prefix, end };
}

async function join({ connect }: LocalRedis, store?: string): Promise<JoinedStore> {
  const joined = await joinStore({
    connect,
    store,
    keyLabel: 'mine',
    serviceHost: HOST,
    describeHold: async () => 'low quota',
    log,
    signal: never,
  });
  onTestFinished(() => joined[Symbol.asyncDispose]());
  return joined;
}

test('another host crawls as the host with the store does: leases, queries, staged pages, and errors of their class', async () => {
  const [redis, store] = [await withRedis(), openThreadedStore()];
  const { prefix } = await share(redis, store);
  const joined = await join(redis, store.id.slice(0, 6));
  expect(joined.storeId).toBe(store.id);
  const remote = createRemoteStore(joined.exchange);

  const [crawl] = await remote.write.openCrawls([spec()], 5);
  const leased = (await remote.write.takeLease(crawl!.id, 10))!;
  expect(leased).toEqual(await store.queries.loadCrawl(crawl!.id));
  expect(await remote.queries.userById('1')).toBeUndefined();
  await expect(remote.write.commitPage(pageOf(crawl!.id, leased.leaseToken + 1, 11))).rejects.toThrow(StaleLeaseError);
  await remote.write.commitPage(pageOf(crawl!.id, leased.leaseToken, 12, { end: { state: 'complete' } }));
  expect(await store.queries.loadCrawl(crawl!.id)).toMatchObject({ pages: 1, finishedAt: 12 });
  await expect((remote.queries as unknown as { valueOf(): Promise<void> }).valueOf()).rejects.toThrow(
    'a store has no queries.valueOf',
  );

  const body = Buffer.from('{"data":{"user":{"rest_id":"7","screen_name":"seven"}}}');
  const page = { crawlId: 1, lease: 1, requestCursor: null, isKept: true } as const;
  const request = { endpoint: 'user-profile', parameters: {} } as never;
  const head = { status: 200, headers: '{}' } as never;
  for (const gzip of [undefined, gzipSync(body)])
    expect(await remote.staging!.stagePage({ ...page, request, head, body, gzip })).toMatchObject({ is: 'staged' });
  const damaged = Buffer.from('<html>');
  expect(await remote.staging!.stagePage({ ...page, request, head, body: damaged, gzip: undefined })).toEqual({
    is: 'unreadable',
    body: damaged,
    gzip: undefined,
  });

  await expect
    .poll(() => readJoinedWorkers(redis.connect(), prefix))
    .toEqual([expect.objectContaining({ keyLabel: 'mine', hold: 'low quota', pid: process.pid })]);
});

test('another host knows why crawls wait for the disk of the store', async () => {
  const [redis, store] = [await withRedis(), openThreadedStore()];
  const full = { reason: 'disk', until: 1, error: 'full', isShared: true } as const;
  let shortage: GateHold | undefined;
  await share(redis, store, prepareAnswers(store), () => shortage);
  const joined = await join(redis);
  expect(joined.shortage).toBeUndefined();
  shortage = full;
  await expect.poll(() => joined.shortage).toEqual(full);
});

test('a session that ends drops the calls of other hosts, which join the next one', async () => {
  const [redis, store] = [await withRedis(), openThreadedStore()];
  const silent = await share(redis, store, () => new Promise<never>(() => undefined));
  const joined = await join(redis);
  const remote = createRemoteStore(joined.exchange);
  const dropped = remote.queries.crawlCounts().catch((error: unknown) => error);
  // A process that is killed deletes nothing.
  const client = redis.connect();
  const { session } = sharedKeys(silent.prefix);
  await client.del(session);
  await client.set(session, JSON.stringify({ session: 'another', storeId: store.id, clockOffset: 0 }), 'PX', 500);
  await vi.waitFor(() => expect(joined.lost.aborted).toBe(true), { timeout: 10_000 });
  expect(await dropped).toBeInstanceOf(StoreError);
  await expect(remote.queries.crawlCounts()).rejects.toThrow('the connection to the shared database was lost');
  void silent.end();

  await share(redis, store);
  expect(await createRemoteStore((await join(redis)).exchange).queries.crawlCounts()).toEqual(
    await store.queries.crawlCounts(),
  );
});

test('a process that another one has replaced takes no calls', async () => {
  const [redis, store] = [await withRedis(), openThreadedStore()];
  const client = redis.connect();
  const { prefix } = await share(redis, store, () => new Promise<never>(() => undefined));
  await client.del(sharedKeys(prefix).session);
  await share(redis, store);
  const remote = createRemoteStore((await join(redis)).exchange);
  for (let n = 0; n < 20; n++) expect(await remote.queries.crawlCounts()).toEqual(await store.queries.crawlCounts());
});

test('what is no call changes nothing, and the next call is answered', async () => {
  const [redis, store] = [await withRedis(), openThreadedStore()];
  const { prefix } = await share(redis, store);
  const joined = await join(redis);
  const client = redis.connect();
  const keys = sharedKeys(prefix);
  const { session } = JSON.parse((await client.get(keys.session))!) as { session: string };
  await client.lpush(keys.calls(session), 'no call', '', serialize(['client', 1, Buffer.from('no message')]));
  expect(await createRemoteStore(joined.exchange).queries.crawlCounts()).toEqual(await store.queries.crawlCounts());
});

test('one process shares a store, and a host of several stores, another service, version or time is told so', async () => {
  const [redis, one, other] = [await withRedis(), openThreadedStore(), openThreadedStore()];
  const { prefix } = await share(redis, one);
  await expect(share(redis, one)).rejects.toThrow('another process shares this database');
  await share(redis, other);
  await expect(join(redis)).rejects.toThrow(UsageError);
  expect((await join(redis, other.id)).storeId).toBe(other.id);

  const { session } = sharedKeys(prefix);
  const client = redis.connect();
  const state = JSON.parse((await client.get(session))!) as object;
  await client.set(session, JSON.stringify({ ...state, version: '0.0.1' }), 'PX', 60_000);
  await expect(join(redis, one.id)).rejects.toThrow(TrawlError);
  await expect(join(redis, one.id)).rejects.toThrow('the shared database is of trawl 0.0.1');
  await client.set(session, JSON.stringify({ ...state, serviceHost: 'other.example' }), 'PX', 60_000);
  await expect(join(redis, one.id)).rejects.toThrow('the shared database is of other.example');
  await client.set(session, JSON.stringify({ ...state, clockOffset: 3_600_000 }), 'PX', 60_000);
  await expect(join(redis, one.id)).rejects.toThrow('the clock of this host is 1 h behind that of the host');
});

test('trawl work --share and --join need the Redis of REDIS_URL, and a host without a database refuses its options', async () => {
  const env = { TRAWL_API_URL: 'http://127.0.0.1:9', TRAWL_API_KEY: 'k' };
  expect(await runCli('work --share', { env })).toEqual(
    failure(2, '--share needs a Redis server that all hosts reach'),
  );
  expect(await runCli('work --join', { env })).toEqual(failure(2, '--join needs a Redis server that all hosts reach'));
  expect(await runCli('work --join --jobs jobs', { env })).toMatchObject({ code: 2 });
});
