import { statSync } from 'node:fs';
import { Gauge, type Registry } from 'prom-client';
import type { ShipLag } from '#analysis/ship-lag.ts';
import type { DiskState } from '#crawl/gates/disk-guard.ts';
import { type Circuit, isOpen, type OutageState } from '#crawl/gates/outage/breaker-policy.ts';
import { PRIORITIES } from '#service/quota/priorities.ts';
import type { QuotaStatus } from '#service/quota/quota-status.ts';
import type { CrawlCounts, JobSuccess } from '#store/schema/query-results.ts';
import type { SharedState } from './work-state.ts';

type CreateGauge = <L extends string>(name: string, help: string, labelNames?: readonly L[]) => Gauge<L>;

/** What the gauges show of the store. */
export interface StoreState {
  readonly storePath: string;
  readonly counts: CrawlCounts;
  readonly successes: readonly JobSuccess[];
  readonly disk: DiskState;
  /** What waits for the targets of shipping. */
  readonly lags: readonly ShipLag[];
}

/** Registers the gauges of one scrape. Each scrape has a new registry, so that no old value remains. */
export function registerStateGauges(registry: Registry, state: StoreState, shared: SharedState | undefined): void {
  const gauge: CreateGauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge<L>({ name: `trawl_${name}`, help, labelNames, registers: [registry] });
  registerStore(gauge, state);
  if (state.lags.length > 0) registerLags(gauge, state.lags);
  gauge(
    'redis_up',
    '1 if Redis answers; otherwise, the gauges of the quota, the queues and the circuits are absent.',
  ).set(shared ? 1 : 0);
  if (!shared) return;
  registerQuota(gauge, shared.quota);
  const queued = gauge('queue_jobs', 'Jobs of the queues, by priority and state.', ['priority', 'state']);
  for (const priority of PRIORITIES)
    for (const [jobState, count] of Object.entries(shared.jobs[priority]))
      queued.set({ priority, state: jobState }, count);
  registerCircuits(gauge, shared.outage);
}

function registerStore(gauge: CreateGauge, { storePath, counts, successes, disk }: StoreState): void {
  const crawls = gauge('crawls', 'Crawls in the store, by state.', ['state']);
  for (const { state, count } of counts.byState) crawls.set({ state }, count);
  const pausedCrawls = gauge('paused_crawls', 'Paused crawls, by reason.', ['reason']);
  for (const { reason, count } of counts.pausedByReason) pausedCrawls.set({ reason: reason ?? '' }, count);
  gauge('store_size_bytes', 'Size of the database file.').set(sizeOf(storePath));
  gauge('wal_size_bytes', 'Size of the write-ahead log of the database.').set(sizeOf(`${storePath}-wal`));
  gauge('disk_free_bytes', 'Free space of the disk of the database.').set(disk.free);
  gauge('disk_min_free_bytes', 'Free space of the disk below which crawls pause.').set(disk.minFree);
  const success = gauge(
    'job_last_success_timestamp_seconds',
    'When a crawl of a job last succeeded; before the first success, when its first run began.',
    ['job_name'],
  );
  for (const { job, at } of successes) success.set({ job_name: job }, at / 1000);
}

/** Registers the figures of the quota that are known. */
function registerQuota(gauge: CreateGauge, quota: QuotaStatus): void {
  const known = (name: string, help: string, value: number | undefined): void => {
    if (value !== undefined) gauge(name, help).set(value);
  };
  known('quota_limit_requests', 'Requests per quota window.', quota.limit);
  known('quota_remaining_requests', 'Requests left now (a lower bound).', quota.estimate);
  known('quota_reserve_requests', 'Requests that are never used.', quota.reserve);
  known('quota_reset_timestamp_seconds', 'When the service resets the quota.', inSeconds(quota.resetAt));
  const headroom = gauge(
    'quota_headroom_requests',
    'Remaining requests at which a priority stops, including the reserve.',
    ['priority'],
  );
  const spendable = gauge('quota_spendable_requests', 'Requests that a priority may send now.', ['priority']);
  const paused = gauge('quota_paused', '1 while a priority is paused for the quota, by reason.', [
    'priority',
    'reason',
  ]);
  for (const priority of PRIORITIES) {
    const status = quota.priorities[priority];
    if (status.headroom !== undefined) headroom.set({ priority }, status.headroom);
    if (quota.estimate !== undefined) spendable.set({ priority }, status.spendable);
    for (const reason of ['low', 'refused', 'key_dead'] as const)
      paused.set({ priority, reason }, Number(status.reason === reason));
  }
}

function registerCircuits(gauge: CreateGauge, outage: OutageState): void {
  const circuits = gauge(
    'circuit_state',
    'State of the circuit of the service and of each endpoint: 1 for the current one.',
    ['circuit', 'state'],
  );
  for (const [circuit, value] of Object.entries({ service: outage.service, ...outage.endpoints })) {
    const current = stateOf(value);
    for (const state of ['closed', 'open', 'half_open'] as const)
      circuits.set({ circuit, state }, Number(state === current));
  }
}

/** Registers what waits for each target of shipping. */
function registerLags(gauge: CreateGauge, lags: readonly ShipLag[]): void {
  const entries = gauge('ship_waiting_entries', 'Entries that wait to be shipped.', ['target']);
  const bytes = gauge('ship_waiting_bytes', 'Bytes of facts that wait to be shipped.', ['target']);
  const most = gauge('ship_max_backlog_bytes', 'Bytes of waiting facts at which crawls pause.', ['target']);
  const seconds = gauge('ship_lag_seconds', 'How long the first waiting entry has waited.', ['target']);
  for (const { address: target, ...lag } of lags) {
    entries.set({ target }, lag.entries);
    bytes.set({ target }, lag.bytes);
    most.set({ target }, lag.maxBytes);
    seconds.set({ target }, lag.ms / 1000);
  }
}

const stateOf = (circuit: Circuit): 'closed' | 'open' | 'half_open' =>
  isOpen(circuit) ? (circuit.prober === undefined ? 'open' : 'half_open') : 'closed';

const inSeconds = (ms: number | undefined): number | undefined => (ms === undefined ? undefined : ms / 1000);

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
