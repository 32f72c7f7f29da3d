import { describe, expect, test } from 'vitest';
import { NO_OUTAGE } from '#crawl/gates/outage/breaker-policy.ts';
import type { QueueReading } from '#crawl/queue/queue-snapshot.ts';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import { readOverviewData } from '#dashboard/server/pages/read-overview.ts';
import type { ReadContext } from '#dashboard/server/reader/read.ts';
import { mapPriorities } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { crawlRow, createStoreOf, requestRow } from './store-rows.ts';
import { SETTINGS } from './support.ts';

/** The data of the overview, as a reader process sends it. */
async function readOverviewOf(path: string, queue?: QueueReading, minFree = 0): Promise<OverviewData> {
  const db = openReadOnly(path);
  try {
    const settings = { ...SETTINGS, path, minFree: { bytes: minFree } };
    const context: ReadContext = { db, settings, now: Date.now(), remember: (_, __, compute) => compute() };
    return JSON.parse(JSON.stringify(readOverviewData(context, { parameters: {}, query: {}, queue }))) as OverviewData;
  } finally {
    db.$client.close();
  }
}

const QUOTA: QuotaStatus = {
  limit: 1e3,
  remaining: 700,
  estimate: 640,
  reserve: 100,
  resetAt: Date.now() + 6e4,
  sampledAt: Date.now(),
  windowMs: undefined,
  limitSource: 'token-info',
  estimatedSince: undefined,
  openReservations: 0,
  priorities: mapPriorities(() => ({
    headroom: 100,
    spendable: 540,
    reason: undefined,
    pausedSince: undefined,
    pausedUntil: undefined,
  })),
};
const QUEUE = {
  description: 'a test',
  counts: {},
  workers: 1,
  quota: QUOTA,
  outage: NO_OUTAGE,
} satisfies QueueReading;

const titlesOf = ({ attention }: OverviewData): string[] => attention.map(({ title }) => title);

test('many failed crawls do not hide active ones', async () => {
  const failed = Array.from({ length: 60 }, (_, i) => crawlRow({ id: i + 1, state: 'failed', reason: 'bug' }));
  const active = Array.from({ length: 30 }, (_, i) => crawlRow({ id: i + 61, state: 'running' }));
  const statesOf = ({ crawls }: OverviewData): string[] => crawls.rows.map(({ state }) => state);
  const few = await readOverviewOf(createStoreOf({ crawls: [...failed, active[0]!] }), QUEUE);
  expect(statesOf(few)).toEqual([...Array.from({ length: 49 }, () => 'failed'), 'running']);
  const many = await readOverviewOf(createStoreOf({ crawls: [...failed, ...active] }), QUEUE);
  expect(statesOf(many).filter((state) => state === 'running')).toHaveLength(25);
  expect(many.crawls).toMatchObject({ total: 90, rows: { length: 50 } });
});

describe('attention', () => {
  test('failed crawls by reason, without those that a later crawl repeats', async () => {
    const failed = { state: 'failed', reason: 'not_found', error: '404' };
    const data = await readOverviewOf(
      createStoreOf({
        crawls: [
          crawlRow({ id: 1, ...failed, target: 'repeated' }),
          crawlRow({ id: 2, ...failed }),
          crawlRow({ id: 3, ...failed }),
          crawlRow({ id: 4, ...failed, reason: 'unreachable' }),
          crawlRow({ id: 5, state: 'complete', target: 'repeated' }),
          crawlRow({ id: 6, ...failed, options: '{"maxPages":1}', target: 'repeated' }),
        ],
      }),
    );
    expect(titlesOf(data)).toEqual([
      '3 crawls failed: the service does not have it',
      '1 crawl failed: all attempts failed',
    ]);
    expect(data.attention.map(({ advice }) => advice)).toEqual([
      'Check the handle or id.',
      'trawl crawls resume --reason unreachable',
    ]);
    expect(data.attention[0]!.link).toBe('/crawls?state=failed&reason=not_found');
    expect(data.crawls.rows.map(({ id }) => id)).toEqual([6, 4, 3, 2]);
  });

  test('failed crawls without those whose list a later crawl stored, by handle or by id', async () => {
    const failed = { state: 'failed', reason: 'unreachable', target: 'nasa', target_rest_id: '11' };
    const idsOf = async (...later: Parameters<typeof crawlRow>[0][]): Promise<number[]> => {
      const crawls = [{ id: 1, ...failed, options: '{"maxPages":9}' }, ...later].map(crawlRow);
      return (await readOverviewOf(createStoreOf({ crawls }))).crawls.rows.map(({ id }) => id);
    };
    const later = { id: 2, state: 'complete', target: 'nasa' };
    expect(await idsOf()).toEqual([1]);
    expect(await idsOf(later)).toEqual([]);
    expect(await idsOf({ ...later, state: 'capped', target: 'id:11', target_rest_id: '11' })).toEqual([]);
    expect(await idsOf({ ...later, state: 'partial' })).toEqual([1]);
    expect(await idsOf({ ...later, kind: 'following' })).toEqual([1]);
    expect(await idsOf({ ...later, options: '{"since":1}' })).toEqual([1]);
    // The list is stored, and the crawls of its accounts are not.
    const snowball = { id: 3, ...failed, target: 'esa', target_rest_id: null, options: '{"then":["profile"]}' };
    expect(await idsOf(later, snowball, { ...later, id: 4, target: 'esa' })).toEqual([3]);
  });

  test('a target of shipping that is far behind, and one whose backlog pauses crawls', async () => {
    const now = Date.now();
    const target = (id: number, values: object) => ({
      id,
      address: `/lakes/${id}`,
      added_at: now - 73e5,
      max_backlog_bytes: 1e3,
      shipped_bytes: 0,
      ...values,
    });
    const data = await readOverviewOf(
      createStoreOf({
        _ship_targets: [
          target(1, { shipped_entry: 12, shipped_bytes: 500 }),
          target(2, { shipped_entry: 10, max_backlog_bytes: 450 }),
          target(3, {}),
          target(4, { shipped_entry: 13, shipped_bytes: 540 }),
        ],
        _ship_outbox: [
          { id: 11, recorded_at: now - 7_250_000, facts: '{}', total_bytes: 400 },
          { id: 12, recorded_at: now - 60_000, facts: '{}', total_bytes: 500 },
          { id: 13, recorded_at: now - 30_000, facts: '{}', total_bytes: 540 },
        ],
      }),
    );
    expect(data.attention).toMatchObject([
      {
        severity: 'error',
        title: 'Too many facts wait to be shipped: crawls pause',
        detail: expect.stringMatching(
          /^\/lakes\/2: 3 entries \(540 B of 450 B\) wait, the first for 2 h.*: crawls pause$/,
        ) as string,
        advice: 'trawl lake ship',
      },
      {
        severity: 'warning',
        detail: expect.stringContaining('/lakes/3: its snapshot has been due for 2 h') as string,
        since: now - 7_300_000,
      },
    ]);
  });

  test('a job whose runs find nothing new', async () => {
    const runs = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
    const job = { name: 'daily', enabled: true, kind: 'followers', schedule: { every: 86_400_000 } };
    const withNews = (news: number) =>
      createStoreOf({
        _scheduled_jobs: [
          { name: 'daily', definition: JSON.stringify(job), schedule: '{}', scheduled_at: 1, last_slot_at: Date.now() },
        ],
        runs: runs.map((id) => ({ id, job_name: 'daily', created_at: id })),
        crawls: runs.map((id) =>
          crawlRow({ id, run_id: id, target: `t${id}`, state: 'complete', new_items: id === 10 ? news : 0 }),
        ),
      });
    expect(titlesOf(await readOverviewOf(withNews(0)))).toEqual(['Job daily: the last 10 runs found nothing new']);
    expect(titlesOf(await readOverviewOf(withNews(1)))).toEqual([]);
  });
});

describe('the quota', () => {
  test('is otherwise that of the last sample, less the requests since', async () => {
    const at = Date.now() - 30_000;
    const sample = (id: number, sampledAt: number, remaining: number) => ({
      id,
      sampled_at: sampledAt,
      remaining,
      request_limit: 100,
      reset_at: at + 6e4,
      key_hash: 'mine',
    });
    const { quota } = await readOverviewOf(
      createStoreOf({
        crawls: [crawlRow({ id: 1, state: 'complete' })],
        requests: [1, 2, 3].map((id) => requestRow({ id, crawl_id: 1, sent_at: at - 1500 + 1000 * id })),
        _quota_samples: [
          { ...sample(1, at - 500_000, 50), key_hash: 'other' },
          sample(2, at - 400_000, 90),
          sample(3, at - 370_000, 80),
          sample(4, at - 20_000, 60),
          sample(5, at, 40),
        ],
      }),
    );
    // Requests 2 and 3 were sent after the sample.
    expect(quota).toMatchObject({ source: 'sample', limit: 100, left: 38, reserve: 10, sampledAt: at });
    expect(Object.values(quota!.priorities).map(({ headroom, spendable }) => [headroom, spendable])).toEqual([
      [10, 28],
      [15, 23],
      [20, 18],
    ]);
    expect(quota!.samples).toEqual([
      [at - 400_000, 90],
      [at - 370_000, 80],
      [at - 369_999, null],
      [at - 20_000, 60],
      [at, 40],
    ]);
  });
});

describe('crawls', () => {
  test('come in the order of urgency, with pages of their trees, plan and rest', async () => {
    const startedAt = Date.now() - 100_000;
    const running = { state: 'running', started_at: startedAt, planned_requests_min: 1, planned_requests_max: 100 };
    const { crawls } = await readOverviewOf(
      createStoreOf({
        crawls: [
          crawlRow({ id: 1, state: 'queued' }),
          crawlRow({ id: 2, ...running, pages: 25, requests: 25, planned_requests_expected: 100 }),
          crawlRow({ id: 3, state: 'paused', reason: 'quota' }),
          crawlRow({ id: 4, state: 'failed', reason: 'bug' }),
          crawlRow({ id: 5, state: 'complete' }),
          crawlRow({ id: 6, ...running, pages: 1, requests: 2, planned_requests_expected: 40 }),
          crawlRow({ id: 7, state: 'complete', parent_id: 6, root_id: 6, pages: 9, requests: 18 }),
        ],
        _crawl_tree: [{ root_id: 6, descendant_id: 7 }],
        // Three in the last 30 s, after a pause of more than a minute.
        requests: [99, 98, 20, 10, 1].map((s) => requestRow({ crawl_id: 2, sent_at: Date.now() - s * 1000 })),
      }),
    );
    expect(crawls.total).toBe(5);
    expect(crawls.rows.map(({ id }) => id)).toEqual([4, 3, 2, 6, 1]);
    const [, , second, sixth] = crawls.rows;
    expect(second).toMatchObject({ pages: 25, plannedPages: 100, requests: 25 });
    expect(second!.leftMs! / 750_000).toBeCloseTo(1, 1);
    expect(sixth!.leftMs).toBe(null);
    expect(sixth).toMatchObject({ pages: 10, plannedPages: 40, requests: 20 });
  });

  test('the time remaining has the windows that the quota needs', async () => {
    const HOUR = 3_600_000;
    const now = Date.now();
    const path = createStoreOf({
      crawls: [
        crawlRow({ id: 1, state: 'running', started_at: now - 1e5, requests: 25, planned_requests_expected: 100 }),
      ],
      requests: [20, 10, 1].map((s) => requestRow({ crawl_id: 1, sent_at: now - s * 1000 })),
      _quota_samples: [{ sampled_at: now, request_limit: 50, remaining: 25, reset_at: now + HOUR, key_hash: 'mine' }],
    });
    const readRest = async (queue?: QueueReading) => (await readOverviewOf(path, queue)).crawls.rows[0]!.leftMs;
    const isFree = { ...QUOTA, limit: 1000, estimate: 640 };
    expect((await readRest({ ...QUEUE, quota: isFree }))! / 750_000).toBeCloseTo(1, 1);
    // 20 now, and two windows of 30 for the other 55.
    const isLow = {
      ...QUOTA,
      limit: 130,
      estimate: 120,
      resetAt: now + HOUR,
      windowMs: HOUR,
      priorities: mapPriorities((name) => ({ ...QUOTA.priorities[name], spendable: 20 })),
    };
    const rest = await readRest({ ...QUEUE, quota: isLow });
    expect(rest).toBeGreaterThan(2 * HOUR);
    expect(rest).toBeLessThan(2.2 * HOUR);
    expect(await readRest({ ...QUEUE, quota: { ...isLow, windowMs: undefined } })).toBe(null);
    // Without a queue, the last sample sets the limit: 20 now, and two windows of 45.
    expect(await readRest()).toBeGreaterThan(2 * HOUR);
  });

  test('their texts cannot change the order of characters around them', async () => {
    const target = `a\u202egnp.exe\u2066\u0000${'x'.repeat(5000)}`;
    const { crawls, attention } = await readOverviewOf(
      createStoreOf({ crawls: [crawlRow({ id: 1, state: 'failed', reason: 'bug', error: target, target })] }),
    );
    for (const text of [crawls.rows[0]!.target, crawls.rows[0]!.reason, attention[0]!.detail!]) {
      expect(text).not.toMatch(/[\u202a-\u202e\u2066-\u2069\0]/);
      expect(text.length).toBeLessThan(600);
    }
  });
});

test('who spends the quota: the crawls of the last hour, children with their root crawl', async () => {
  const now = Date.now();
  const of = (crawl: number, n: number, age = 1000) =>
    Array.from({ length: n }, () => requestRow({ crawl_id: crawl, sent_at: now - age }));
  const { spending, throughput } = await readOverviewOf(
    createStoreOf({
      crawls: [
        crawlRow({ id: 1, target: 'nasa', handle: 'NASA', state: 'complete', requests: 3 }),
        crawlRow({ id: 2, target: 'esa', parent_id: 1, root_id: 1, state: 'complete', requests: 4 }),
        crawlRow({ id: 3, target: 'jaxa', state: 'complete', requests: 5 }),
      ],
      requests: [...of(3, 9, 2 * 3_600_000), ...of(1, 3, 600_000), ...of(2, 4), ...of(3, 5)],
    }),
  );
  expect(spending).toMatchObject({ requests: 12, others: 0 });
  expect(spending.crawls).toEqual([
    { id: 1, name: 'followers NASA', requests: 7 },
    { id: 3, name: 'followers jaxa', requests: 5 },
  ]);
  expect(throughput.map(({ requests }) => requests)).toEqual([9, 9, 12]);
});
