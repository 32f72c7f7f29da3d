import { readFileSync } from 'node:fs';
import { get } from 'node:http';
import { join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { parse } from 'yaml';
import { type CliProcess, runSuccessfully, spawnCli } from '../support/cli.ts';
import { startRedisProcess } from '../support/redis-process.ts';
import { withRedis } from '../support/redis.ts';
import { tempDir } from '../support/temp.ts';
import { followedBy, gate, rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(400, 7);

/** The alerting rules of Prometheus. */
interface AlertRules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: { readonly summary: string };
    }[];
  }[];
}

/** The address that a worker serves its state on. */
const addressOf = async (worker: CliProcess): Promise<string> =>
  /http:[^"]+/.exec(await worker.waitForLine(/serving \/healthz/))![0];

/** The status of /metrics for a Host header, which fetch does not allow. */
const statusFor = (address: string, host: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    get(`${address}/metrics`, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    }).on('error', reject);
  });

const read = async (url: string): Promise<{ status: number; body: unknown }> => {
  const response = await fetch(url);
  return { status: response.status, body: await response.json() };
};

/** The samples of a scrape: `name{label="value"}` -> number. */
async function scrape(address: string): Promise<ReadonlyMap<string, number>> {
  const response = await fetch(`${address}/metrics`);
  expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('during a crawl, /metrics shows the numbers of the store, and no key', async () => {
  const { handle } = followedBy(world, 40);
  const STOP_AT = 20;
  const held = gate();
  const service = await serve(world, { pageSize: 1, onAsked: ({ n }) => (n === STOP_AT ? held.opened : undefined) });
  const redis = await withRedis();
  const env = { ...service.env, REDIS_URL: `unix://${redis.connection.path}` };
  const lake = join(tempDir(), 'lake');
  await runSuccessfully(['enqueue', 'followers', handle, '--yes'], { env });
  await runSuccessfully(['lake', 'add', lake, '--ship-backlog', '1GB', '--db', service.db]);
  const worker = spawnCli(['work', '--listen', '127.0.0.1:0', '--exit-when-idle'], { env });
  const address = await addressOf(worker);
  await vi.waitUntil(() => service.asked.length === STOP_AT, { timeout: 20_000 });

  /** The state of the store in the names of the metrics. */
  const inStore = (): Record<string, number> => ({
    ...Object.fromEntries(
      rowsOf<{ endpoint: string; status: number; n: number }>(
        service.db,
        'select endpoint, status, count(*) as n from requests group by 1, 2',
      ).map(({ endpoint, status, n }) => [`trawl_requests_total{endpoint="${endpoint}",status="${status}"}`, n]),
    ),
    trawl_pages_total: valueOf(service.db, 'select sum(pages) from crawls'),
    trawl_new_items_total: valueOf(service.db, 'select sum(new_items) from crawls'),
    'trawl_rows_total{type="follows"}': valueOf(service.db, 'select count(*) from follows'),
    trawl_commit_duration_seconds_count: valueOf(service.db, 'select count(*) from _steps'),
    'trawl_crawls{state="complete"}': 0,
    'trawl_crawls{state="running"}': valueOf(service.db, "select count(*) from crawls where state = 'running'"),
    trawl_quota_limit_requests: 100_000,
    'trawl_queue_jobs{priority="interactive",state="active"}': 1,
    'trawl_circuit_state{circuit="service",state="closed"}': 1,
    'trawl_quota_paused{priority="backfill",reason="low"}': 0,
    trawl_redis_up: 1,
    [`trawl_ship_waiting_entries{target="${lake}"}`]: valueOf(service.db, 'select count(*) from _ship_outbox'),
    [`trawl_ship_waiting_bytes{target="${lake}"}`]: valueOf(
      service.db,
      'select sum(length(cast(facts as blob))) from _ship_outbox',
    ),
    [`trawl_ship_max_backlog_bytes{target="${lake}"}`]: 1e9,
  });
  // The request that is held has no row yet; the page before it may still be on its way to the disk.
  await vi.waitUntil(() => valueOf(service.db, 'select count(*) from requests') === STOP_AT - 1, { timeout: 20_000 });
  await expect
    .poll(async () => Object.fromEntries(await scrape(address)), { timeout: 10_000 })
    .toMatchObject(inStore());
  const samples = await scrape(address);
  expect(samples.get('trawl_requests_total{endpoint="followers",status="200"}')).toBeGreaterThan(10);
  expect(samples.get(`trawl_ship_lag_seconds{target="${lake}"}`)).toBeGreaterThan(0);
  expect(samples.get('trawl_store_size_bytes')).toBeGreaterThan(0);
  expect(samples.get('trawl_wal_size_bytes')).toBeGreaterThan(0);
  expect(samples.get('trawl_event_loop_lag_seconds_count')).toBeGreaterThan(0);
  const limit = 100_000;
  const left = samples.get('trawl_quota_remaining_requests')!;
  expect(left).toBeLessThan(limit);
  expect(samples.get('trawl_quota_headroom_requests{priority="backfill"}')).toBe(0.2 * limit);
  expect(samples.get('trawl_quota_spendable_requests{priority="backfill"}')).toBe(left - 0.2 * limit);
  expect(samples.get('trawl_disk_free_bytes')).toBeGreaterThan(samples.get('trawl_disk_min_free_bytes')!);
  const rules = parse(readFileSync(resolve(import.meta.dirname, '../../deploy/alerts.yaml'), 'utf8')) as AlertRules;
  const exported = new Set((await (await fetch(`${address}/metrics`)).text()).match(/(?<=^# TYPE )\w+/gm));
  for (const { alert, expr, annotations } of rules.groups.flatMap((group) => group.rules)) {
    expect(annotations.summary, alert).toMatch(/\.$/);
    const named = expr.match(/\btrawl_\w+/g) ?? [];
    expect(named.length, alert).toBeGreaterThan(0);
    expect([...exported], alert).toEqual(expect.arrayContaining(named));
  }
  for (const name of samples.keys()) expect(name).toMatch(/^trawl_[a-z_]+(\{.*\})?$/);
  expect(await (await fetch(`${address}/metrics`)).text()).not.toContain(service.key);

  expect(await read(`${address}/healthz`)).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await read(`${address}/readyz`)).toEqual({
    status: 200,
    body: { status: 'ready', checks: { redis: 'ok', store: 'ok', disk: 'ok', service: 'ok', key: 'ok' } },
  });
  expect((await fetch(`${address}/metrics`, { method: 'HEAD' })).status).toBe(200);
  expect((await fetch(`${address}/healthz`, { method: 'POST' })).status).toBe(405);
  expect((await fetch(`${address}/`)).status).toBe(404);
  expect(await statusFor(address, 'evil.example')).toBe(421);
  expect(await statusFor(address, 'localhost')).toBe(200);
  held.open();
  expect(await worker.exited, worker.lines.join('\n')).toBe(0);
  await expect(fetch(`${address}/healthz`)).rejects.toThrow('fetch failed');
});

test('without Redis, a worker is alive and not ready, and its own counters remain', async () => {
  const service = await serve(world);
  const redis = await startRedisProcess();
  const env = { ...service.env, REDIS_URL: redis.url };
  const worker = spawnCli(['work', '--listen', '127.0.0.1:0'], { env });
  const address = await addressOf(worker);
  await expect.poll(async () => (await read(`${address}/readyz`)).status, { timeout: 10_000 }).toBe(200);
  await redis.kill();
  await worker.waitForLine(/Redis cannot be reached/);
  expect(await read(`${address}/healthz`)).toEqual({ status: 200, body: { status: 'ok' } });
  expect(await read(`${address}/readyz`)).toEqual({
    status: 503,
    body: {
      status: 'not ready',
      checks: { redis: 'no answer', store: 'ok', disk: 'ok', service: 'unknown', key: 'unknown' },
    },
  });
  const samples = await scrape(address);
  expect(samples.get('trawl_redis_up')).toBe(0);
  expect(samples.get('trawl_requests_total{endpoint="token-info",status="200"}')).toBeGreaterThan(0);
  expect(samples.has('trawl_quota_limit_requests')).toBe(false);
  expect([...samples.keys()].filter((name) => name.startsWith('trawl_ship'))).toEqual([]);
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
});

test('while the disk is too full to crawl, a worker is not ready; a quota that is unknown has no gauge', async () => {
  const service = await serve(world);
  const worker = spawnCli(['work', '--listen', '127.0.0.1:0', '--min-free-disk', '900TB'], { env: service.env });
  const address = await addressOf(worker);
  await expect
    .poll(async () => (await read(`${address}/readyz`)).body)
    .toMatchObject({
      status: 'not ready',
      checks: { redis: 'ok', disk: 'full', key: 'ok' },
    });
  const names = [...(await scrape(address)).keys()];
  expect(names.filter((name) => /quota_(limit|remaining|spendable)/.test(name))).toEqual([]);
  worker.kill('SIGTERM');
  expect(await worker.exited).toBe(0);
});
