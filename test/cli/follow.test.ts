import { expect, test } from 'vitest';
import { createProgressFormatter } from '#cli/crawl/progress-formatter.ts';
import { NO_OUTAGE } from '#crawl/gates/outage/breaker-policy.ts';
import { mapPriorities } from '#service/quota/priorities.ts';
import type { PriorityStatus, QuotaStatus } from '#service/quota/quota-status.ts';
import { newStore, pageOf, rows, spec, progressOf } from '../store/support.ts';

const NOW = 100_000;

/** 900 of 1,000 requests left in a window of 15 minutes, or what is given. */
function quotaOf(given: Partial<QuotaStatus> = {}, pause: Partial<PriorityStatus> = {}): QuotaStatus {
  const { limit = 1000, estimate = 900 } = given;
  const spendable = pause.reason === undefined ? Math.max(0, estimate - limit / 10) : 0;
  return {
    limit,
    remaining: estimate,
    estimate,
    reserve: limit / 10,
    resetAt: undefined,
    sampledAt: NOW,
    windowMs: 900_000,
    limitSource: 'token-info',
    estimatedSince: undefined,
    openReservations: 0,
    ...given,
    priorities: mapPriorities(() => ({
      headroom: limit / 10,
      spendable,
      reason: undefined,
      pausedSince: undefined,
      pausedUntil: undefined,
      ...pause,
    })),
  };
}

/** Two crawls, of which the second has not started, and the first is paused for a reason. */
async function lineOf(
  paused: { reason: string; error?: string; failures?: number; resumeAt?: number },
  conditions: object = {},
): Promise<string> {
  const store = newStore();
  await store.write.openCrawls([spec({ target: 'a' }), spec({ target: 'b' })], 1);
  const { leaseToken: lease } = (await store.write.takeLease(1, 2))!;
  const back = { crawlId: 1, lease, at: 3, failures: 0, requests: [], resumeAt: NOW + 9000 } as const;
  await store.write.releaseLease({ ...back, ...paused, state: 'paused' });
  const read = store.read.crawlTree([1, 2]);
  return createProgressFormatter(store, read, NOW - 1000)(read, { now: NOW, ...conditions });
}

test('each hold has its own sentence', async () => {
  const low = quotaOf({ estimate: 100 }, { reason: 'low', pausedSince: NOW, pausedUntil: NOW + 600_000 });
  const unknown = quotaOf(
    { limit: undefined, estimate: undefined, limitSource: 'unknown', estimatedSince: NOW - 20_000 },
    { headroom: undefined, spendable: 0 },
  );
  const open = { failures: 5, failedProbes: 1, openedAt: NOW - 5000, probeAt: NOW + 3000 };
  const outage = { since: NOW - 5000, why: 'connection refused', failedProbes: 1 };
  const paused = [
    [{ reason: 'quota' }, { quota: low }, 'low quota (100 of 1,000 left), resets in 10 min'],
    [{ reason: 'quota' }, { quota: unknown }, 'token-info has not answered for 20 s: one request at a time'],
    [
      { reason: 'outage' },
      { quota: unknown, outage: { ...NO_OUTAGE, service: open, outage } },
      'the service has been unavailable for 5 s, next probe in 3 s',
    ],
    [
      { reason: 'outage' },
      { outage: { ...NO_OUTAGE, endpoints: { followers: { ...open, cause: 'not_found' } }, outage } },
      "the service's followers has answered only 404 for 5 s, next probe in 3 s",
    ],
    [
      { reason: 'outage', resumeAt: NOW },
      { outage: { ...NO_OUTAGE, service: { ...open, probeAt: NOW }, outage } },
      'the service has been unavailable for 5 s, next probe within a minute',
    ],
    [
      { reason: 'outage' },
      { outage: { ...NO_OUTAGE, service: { ...open, prober: 'a', probeUntil: NOW + 1 }, outage } },
      'the service has been unavailable for 5 s, probing now',
    ],
    // Before the circuit opens.
    [{ reason: 'outage', error: 'refused' }, { quota: unknown }, 'the service is unavailable, next probe in 9 s'],
    [{ reason: 'quota' }, { shortage: { until: NOW, error: '1 MB free' }, quota: low }, 'waiting for space'],
  ] as const;
  for (const [row, conditions, sentence] of paused)
    expect(`${await lineOf(row, conditions)} · `).toContain(`0 of 2 crawls ended · paused: ${sentence} · `);
});

test('a crawl that retries or has spent its budget says so, unless another can run', async () => {
  const store = newStore();
  await store.write.openCrawls([spec({ target: 'a' }), spec({ target: 'b' })], 1);
  const lines: string[] = [];
  const progress = createProgressFormatter(store, store.read.crawlTree([1, 2]), NOW);
  const leases = await Promise.all([1, 2].map(async (id) => (await store.write.takeLease(id, 2))!.leaseToken));
  const back = (id: number) => ({ crawlId: id, lease: leases[id - 1]!, at: 3, failures: 0, requests: [] });
  const show = () => lines.push(progress(store.read.crawlTree([1, 2]), { now: NOW, quota: quotaOf() }));
  await store.write.releaseLease({ ...back(1), state: 'paused', reason: 'budget', resumeAt: NOW + 3_600_000 });
  show();
  const retry = { reason: 'retry', error: 'followers answered 500', failures: 2, resumeAt: NOW + 4000 };
  await store.write.releaseLease({ ...back(2), ...retry, state: 'paused' });
  show();
  expect(lines[0]).not.toContain('paused');
  expect(lines[1]).toContain('0 of 2 crawls ended · paused: attempt 2 of 8 failed, next attempt in 4 s · ');
  expect(lines[1]).toContain(' · followers answered 500');
});

test('the rate is that of the last 30 s with pauses, and the time remaining includes the quota windows that it needs', async () => {
  const store = newStore();
  const account = { restId: '7', screenName: 'nasa', followersCount: 400, detailLevel: 'profile' } as const;
  await store.write.openCrawls([spec({ target: 'id:7' })], 1);
  const progress = createProgressFormatter(store, store.read.crawlTree([1]), NOW);
  const { leaseToken: lease } = (await store.write.takeLease(1, 2))!;
  const request = { endpoint: 'followers', at: 3, status: 200, ms: 5, bytes: 9 } as const;
  await store.write.commitPage(
    pageOf(1, lease, 3, {
      rows: rows({ users: [account] }),
      requests: Array.from({ length: 20 }, () => request),
      progress: progressOf({ cursor: 'c', targetRestId: '7', pages: 20, items: 200 }),
    }),
  );
  const lineAt = (ms: number, quota?: QuotaStatus) => progress(store.read.crawlTree([1]), { now: NOW + ms, quota });
  // 200 of 400 items and 20 requests in 10 s.
  expect(lineAt(10_000)).toBe(
    'followers id:7 · about 10 s remaining · 200 of up to 400 items · 2.0 requests/s · 20 pages',
  );
  // Of the other 20 requests, 6 fit into this window, and 14 into the next ones, of 9 each: 30 s, a minute, and 5 at the best rate.
  const minute = { limit: 10, windowMs: 60_000, resetAt: NOW + 50_000 };
  expect(lineAt(20_000, quotaOf({ ...minute, estimate: 7 }))).toContain(' · about 1 min 33 s remaining · ');
  const low = { reason: 'low', pausedSince: NOW, pausedUntil: NOW + 50_000 } as const;
  const back = { crawlId: 1, lease, at: 4, failures: 0, requests: [] } as const;
  await store.write.releaseLease({ ...back, state: 'paused', reason: 'quota', resumeAt: NOW + 50_000 });
  expect(lineAt(40_000, quotaOf({ ...minute, estimate: 1 }, low))).toBe(
    'followers id:7 · paused: low quota (1 of 10 left), resets in 10 s · about 2 min 11 s remaining · ' +
      '200 of up to 400 items · quota 1 of 10 · 0.0 requests/s · 20 pages',
  );
  // A refusal takes no quota: the crawl waits until its end.
  expect(lineAt(40_000, quotaOf({}, { reason: 'refused', pausedUntil: NOW + 58_000 }))).toContain(
    'resumes in 18 s · about 28 s remaining · ',
  );
  // The pause is in the rate, but not in the time remaining after it.
  expect(lineAt(51_000)).toContain(' · about 10 s remaining · 200 of up to 400 items · 0.0 requests/s');
  // Nobody knows how long a window is, or an outage.
  expect(lineAt(40_000, quotaOf({ limit: 10, estimate: 1, windowMs: undefined }, low))).not.toContain(
    ' remaining · 200',
  );
});

/**
 * The line of a snowball whose list has ended, and of its profiles, of which the rest waits for quota: of a key of 20
 * requests per 30 s, of which 2 are reserved.
 */
async function showSnowball({ profiles, ended, resetAt }: { profiles: number; ended: number; resetAt: number }) {
  const store = newStore();
  const targets = Array.from({ length: profiles }, (_, i) => spec({ kind: 'profile', target: `id:${i + 1}` }));
  await store.write.openCrawls([spec({ target: 'a' }), ...targets], 1);
  const opened = store.read.crawlTree(targets.map((_, i) => i + 1).concat(profiles + 1));
  const read = opened.map((row, i) => {
    if (i >= ended) return { ...row, state: 'paused', reason: 'quota' } as const;
    // The list has 100 items in 3 requests.
    const counts = i === 0 ? { items: 100, requests: 3 } : { items: 1, requests: 1 };
    return { ...row, ...counts, state: 'complete', finishedAt: NOW } as const;
  });
  const low = { reason: 'low', pausedSince: NOW, pausedUntil: resetAt } as const;
  const quota = quotaOf({ limit: 20, estimate: 2, windowMs: 30_000, resetAt }, low);
  return createProgressFormatter(store, opened, NOW - 1000)(read, { now: NOW, quota });
}

test('the time remaining includes the quota windows that the profiles of a snowball need, from the next reset on', async () => {
  // Of 36 requests, 18 pass after 25 s, and 18 after 55 s; these take a second at 17 a second.
  expect(await showSnowball({ profiles: 50, ended: 15, resetAt: NOW + 25_000 })).toMatch(
    /^15 of 51 crawls ended · paused: low quota \(2 of 20 left\), resets in 25 s · about 56 s remaining · 114 of up to 150 items · /,
  );
  // Of 52, the last 16 pass after 85 s.
  expect(await showSnowball({ profiles: 65, ended: 14, resetAt: NOW + 25_000 })).toMatch(
    /^14 of 66 crawls ended · .* · about 1 min 26 s remaining · /,
  );
});

test.each([0, 2000])('a window whose reset was %i ms ago is available at once', async (ms) => {
  // 14 requests pass at once, at 39 a second.
  expect(await showSnowball({ profiles: 50, ended: 37, resetAt: NOW - ms })).toMatch(
    /^37 of 51 crawls ended · paused: low quota \(2 of 20 left\) · about 359 ms remaining · /,
  );
  // Of 32 requests, 18 pass at once, and 14 after 30 s, at 21 a second.
  expect(await showSnowball({ profiles: 50, ended: 19, resetAt: NOW - ms })).toMatch(
    /^19 of 51 crawls ended · .* · about 31 s remaining · /,
  );
});
