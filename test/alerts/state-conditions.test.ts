import { expect, test } from 'vitest';
import { MINUTE, SECOND } from '#base/clock.ts';
import { CLOSED, NO_OUTAGE, type OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import { evaluateWorker, type WorkerState } from '#ops/alerts/state-conditions.ts';
import { mapPriorities } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';

const NOW = Date.UTC(2026, 0, 31);
const FREE = { headroom: 0, spendable: 9, reason: undefined, pausedSince: undefined, pausedUntil: undefined };
const QUOTA: QuotaStatus = {
  limit: 100,
  remaining: 9,
  estimate: 9,
  reserve: 0,
  resetAt: NOW + MINUTE,
  sampledAt: NOW,
  windowMs: 15 * MINUTE,
  limitSource: 'token-info',
  estimatedSince: undefined,
  openReservations: 0,
  priorities: mapPriorities(() => FREE),
};
const DISK = { free: 9e9, minFree: 5e8, isFull: false };
const LAG = { address: 's3://secret/lake', entries: 1, bytes: 10, maxBytes: 1e9, ms: MINUTE, isSnapshotDue: false };

const outOf = (circuits: Partial<OutageState>, ms: number): OutageState => ({
  service: CLOSED,
  endpoints: {},
  outage: { since: NOW - ms, why: 'connect ECONNREFUSED 10.1.2.3', failedProbes: 1 },
  ...circuits,
});
const OPEN = { ...CLOSED, openedAt: 1 };

/** The quota with backfills that wait for a reason, for some time. */
const waiting = (reason: 'low' | 'refused' | 'key_dead', ms: number, windowMs?: number): QuotaStatus => {
  const backfill = { ...FREE, spendable: 0, reason, pausedSince: NOW - ms };
  return { ...QUOTA, windowMs, priorities: { ...QUOTA.priorities, backfill } };
};
const shared = (outage = NO_OUTAGE, quota = QUOTA) => ({ shared: { outage, quota } });

test.each<[name: string, Partial<WorkerState>, firing?: string]>([
  ['nothing', {}],
  ['little space', { disk: { free: 2e8, minFree: 5e8, isFull: true } }, 'disk_full the disk has 200 MB free, less'],
  ['a failed write', { disk: { ...DISK, isFull: true } }, 'disk_full the disk is full: crawls pause'],
  [
    'an hour without shipping',
    { lags: [{ ...LAG, ms: 60 * MINUTE }] },
    'ship_late facts wait to be shipped to 1 target',
  ],
  ['a full backlog', { lags: [LAG, { ...LAG, bytes: 1e9 }] }, 'ship_late facts wait .*: crawls pause'],
  ['a short outage', shared(outOf({ service: OPEN }, 14 * MINUTE))],
  [
    'a long outage',
    shared(outOf({ service: OPEN }, 15 * MINUTE)),
    'outage the service has been unavailable for 15 min',
  ],
  [
    'one of an endpoint',
    shared(outOf({ endpoints: { list: OPEN } }, 15 * MINUTE)),
    "outage the service's list has been",
  ],
  ['a pause in its window', shared(NO_OUTAGE, waiting('low', 29 * MINUTE, 15 * MINUTE))],
  ['one beyond it', shared(NO_OUTAGE, waiting('low', 30 * MINUTE, 15 * MINUTE)), 'quota_stuck backfill crawls wait'],
  ['a long refusal', shared(NO_OUTAGE, waiting('refused', 75 * MINUTE)), 'quota_stuck backfill crawls wait'],
  ['an unknown window', shared(NO_OUTAGE, waiting('low', 75 * MINUTE - SECOND))],
  ['a refused key, which has its own alert', shared(NO_OUTAGE, waiting('key_dead', 75 * MINUTE))],
])('of %s', (_, state, firing) => {
  const states = evaluateWorker({ disk: DISK, lags: [LAG], ...shared(), ...state }, NOW);
  expect(states.map(({ alert }) => alert)).toEqual(['disk_full', 'ship_late', 'outage', 'quota_stuck']);
  const lines = states
    .filter(({ isFiring }) => isFiring)
    .map((one) => `${one.alert} ${(JSON.parse(one.details) as { message: string }).message}`);
  expect(lines.join('\n')).toMatch(firing === undefined ? /^$/ : new RegExp(`^${firing}.*$`));
  expect(JSON.stringify(states)).not.toMatch(/secret|10\.1\.2\.3/);
});

test('without Redis, the alerts of service and quota stay as they are', () => {
  const states = evaluateWorker({ disk: DISK, lags: [], shared: undefined }, NOW);
  expect(states.map(({ alert, isFiring }) => [alert, isFiring])).toEqual([
    ['disk_full', false],
    ['ship_late', false],
  ]);
});
