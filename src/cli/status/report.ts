import type { Overview } from '../../analysis/crawls/crawl-overview.ts';
import { describeDisk, type DiskReport, type StoreSize } from '../../analysis/disk-report.ts';
import { describeShipLag, type ShipLag } from '../../analysis/ship-lag.ts';
import { SECOND } from '../../base/clock.ts';
import { toSingleLine } from '../../base/text.ts';
import { describeHold, findOutageHold, findPauseHold, findQuotaHold } from '../../crawl/gates/holds.ts';
import type { QueueSnapshot } from '../../crawl/queue/queue-snapshot.ts';
import { isSoftLocked } from '../../crawl/queue/soft-locks.ts';
import { mapPriorities, PRIORITIES } from '../../service/quota/priorities.ts';
import { LIMIT_NOTES, type PriorityStatus, type QuotaStatus } from '../../service/quota/quota-status.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import { CRAWL_STATES } from '../../store/schema/tables/crawl-states.ts';
import { formatCrawlTable } from '../crawls/list.ts';
import { toDiskJson } from '../shared/disk-report.ts';
import { toOutageJson } from '../shared/outage-report.ts';
import { toCrawlJson } from '../targets/crawl-summary.ts';
import {
  hint,
  formatCount,
  pluralize,
  formatBytes,
  formatDuration,
  renderTable,
  formatAgo,
  toIso,
  formatSecond,
} from '../terminal/print.ts';

export interface StatusReport {
  readonly db: string;
  readonly size: StoreSize;
  readonly disk: DiskReport;
  readonly overview: Overview;
  readonly queue: QueueSnapshot | { readonly problem: string } | undefined;
  /** What waits for the targets of shipping. */
  readonly ship: readonly ShipLag[];
}

/** The quota: from the ledger if there is a queue, otherwise from the last sample of token-info. */
function findQuota(status: StatusReport) {
  const { sample } = status.overview;
  const ledger = findLedger(status);
  if (ledger?.limit !== undefined) return { source: 'ledger' as const, ...ledger };
  if (!sample) return undefined;
  const { requestLimit: limit, remaining, resetAt, sampledAt, sentSince } = sample;
  return { source: 'sample' as const, limit, remaining, resetAt: resetAt ?? undefined, sampledAt, sentSince };
}

export function toStatusJson(status: StatusReport) {
  const { overview } = status;
  return {
    at: overview.at,
    db: { path: status.db, ...status.size },
    disk: toDiskJson(status.disk),
    crawls: groupByKind(overview),
    active: overview.active.crawls.map(toCrawlJson),
    paused: overview.paused.map(({ reason, n, until }) => ({ reason, crawls: n, until: toIso(until) })),
    outage: toOutageJson(findOutage(status)),
    quota: toQuotaJson(status),
    queue: toQueueJson(status),
    ship: status.ship.map(toShipJson),
    unknownRequests: overview.unknownRequests,
    rates: overview.rates.map(({ ms, ...rate }) => ({ seconds: ms / 1000, ...rate })),
  };
}

function toQuotaJson(status: StatusReport) {
  const quota = findQuota(status);
  if (quota?.source !== 'ledger') return quota ?? null;
  const { estimatedSince, priorities } = quota;
  return {
    ...quota,
    estimatedSince: toIso(estimatedSince),
    priorities: mapPriorities((one) => toPriorityJson(priorities[one])),
  };
}

function toQueueJson({ queue, overview }: StatusReport) {
  if (queue === undefined || 'problem' in queue) return queue ?? null;
  const { description, counts, workers = null } = queue;
  return { description, ...counts, workers, runs: countRuns(overview) };
}

const toShipJson = ({ address, entries, bytes, maxBytes, ms, isSnapshotDue }: ShipLag) => ({
  target: address,
  waitingEntries: entries,
  waitingBytes: bytes,
  maxBacklogBytes: maxBytes,
  lagSeconds: Math.round(ms / 1e3),
  isSnapshotDue,
});

const toPriorityJson = ({ pausedSince, pausedUntil, ...state }: PriorityStatus) => ({
  ...state,
  reason: state.reason ?? null,
  pausedSince: toIso(pausedSince),
  pausedUntil: toIso(pausedUntil),
});

type CountsByState = Partial<Record<CrawlRow['state'], number>>;

/** The number of crawls by kind and state, without zeros. */
function groupByKind({ counts }: Overview): Record<string, CountsByState> {
  const kinds: Record<string, CountsByState> = {};
  for (const { kind, state, n } of counts) (kinds[kind] ??= {})[state] = n;
  return kinds;
}

export function formatStatus(status: StatusReport): string {
  const { overview } = status;
  const { at } = overview;
  const { bytes, freePageBytes, walBytes } = status.size;
  const head = [
    `store   ${status.db}, ${formatBytes(bytes)}, at ${formatSecond(at)}`,
    `        of which ${formatBytes(freePageBytes)} are free pages; write-ahead log ${formatBytes(walBytes)}`,
    `disk    ${describeDisk(status.disk)}`,
    `queue   ${describeQueue(status)}`,
    ...describeService(status),
    ...status.ship.map((lag) => `ship    to ${lag.address}: ${describeShipLag(lag)}`),
    `quota   ${describeQuota(status)}`,
    ...describePauses(status),
    ...describeUnknownRequests(overview),
  ].join('\n');
  return [head, renderCrawlCounts(overview), renderActiveCrawls(overview), renderRates(overview)]
    .filter((part) => part !== '')
    .join('\n\n');
}

const describeUnknownRequests = ({ unknownRequests: n }: Overview): string[] =>
  n === 0 ? [] : [`unknown at most ${pluralize(n, 'request')} that killed workers sent without a record`];

const findLedger = ({ queue }: StatusReport) => (queue && 'quota' in queue ? queue.quota : undefined);
const findOutage = ({ queue }: StatusReport) => (queue && 'outage' in queue ? queue.outage : undefined);

function describeService(status: StatusReport): string[] {
  const { paused } = status.overview;
  const waiting = paused.find(({ reason }) => reason === 'outage');
  const outage = findOutageHold(findOutage(status), waiting);
  return outage === undefined ? [] : [`service ${toSingleLine(describeHold(outage, status.overview.at))}`];
}

/** The number of `trawl crawl` runs with soft locks. */
const countRuns = ({ softLocks, at }: Overview): number => softLocks.filter((lock) => isSoftLocked(lock, at)).length;

function describeQueue({ queue, overview }: StatusReport): string {
  const { counts } = overview;
  const isUnfinished = ({ state }: Pick<CrawlRow, 'state'>) => ['queued', 'running', 'paused'].includes(state);
  if (queue === undefined) {
    return counts.some(isUnfinished)
      ? `not running; ${hint('work')} starts it and resumes the crawls`
      : 'not running; no unfinished crawls';
  }
  if ('problem' in queue) return queue.problem.split('\n').map(toSingleLine).join('\n        ');
  const { waiting = 0, active = 0, delayed = 0 } = queue.counts;
  const runs = countRuns(overview);
  const users = [
    ...(runs > 0 ? [pluralize(runs, '`trawl crawl` run', '`trawl crawl` runs')] : []),
    ...(queue.workers === undefined ? [] : [pluralize(queue.workers, 'worker')]),
  ];
  const jobs = `${formatCount(active)} active, ${formatCount(waiting)} waiting, ${formatCount(delayed)} delayed`;
  return `${[jobs, ...users].join(', ')}; ${queue.description}`;
}

function describeQuota(status: StatusReport): string {
  const { at } = status.overview;
  const ledger = findLedger(status);
  const notes = ledger ? [...describeEstimate(ledger, at), ...describeStops(ledger, at)] : [];
  return [describeQuotaLeft(status), ...notes].join('\n        ');
}

function describeQuotaLeft(status: StatusReport): string {
  const quota = findQuota(status);
  const { at } = status.overview;
  if (!quota) return 'unknown: token-info has not answered yet';
  const { resetAt, sampledAt } = quota;
  const resets = resetAt !== undefined && resetAt - at >= SECOND ? `, resets in ${formatDuration(resetAt - at)}` : '';
  // The note below has the time since which it is estimated.
  const isSampled = quota.source === 'sample' || quota.limitSource === 'token-info';
  const sampled = sampledAt === undefined || !isSampled ? '' : `, sampled ${formatAgo(sampledAt, at)}`;
  const limit = formatCount(quota.limit ?? 0);
  if (quota.source === 'sample') {
    const since = quota.sentSince > 0 ? `; ${pluralize(quota.sentSince, 'request')} sent since` : '';
    return `${formatCount(quota.remaining)} of ${limit} left${resets}${sampled}${since}`;
  }
  const { estimate = 0, reserve = 0 } = quota;
  return `${formatCount(Math.max(0, estimate))} of ${limit} left, ${formatCount(reserve)} in reserve${resets}${sampled}`;
}

function describeEstimate({ limitSource, estimatedSince }: QuotaStatus, at: number): string[] {
  const note = LIMIT_NOTES[limitSource];
  if (note === undefined) return [];
  return [`${note}${estimatedSince === undefined ? '' : ` (${formatDuration(at - estimatedSince)})`}`];
}

/** The priorities that may send nothing now, with the reason; grouped by reason. */
function describeStops(quota: QuotaStatus, at: number): string[] {
  const stops = new Map<string, string[]>();
  for (const one of PRIORITIES) {
    const hold = findQuotaHold(quota, one);
    // The line of the estimate reports it.
    if (hold === undefined || hold.kind === 'token_info') continue;
    const { headroom = 0 } = quota.priorities[one];
    const who = hold.kind === 'low' ? `${one} (leaves ${formatCount(headroom)})` : one;
    const why = describeHold(hold, at);
    stops.set(why, [...(stops.get(why) ?? []), who]);
  }
  return [...stops].map(([why, who]) => `${who.join(', ')} paused: ${why}`);
}

const describePauses = (status: StatusReport): string[] =>
  status.overview.paused.map((pause) => {
    const hold = findPauseHold(pause, { quota: findLedger(status), outage: findOutage(status) });
    const why = hold ? toSingleLine(describeHold(hold, status.overview.at)) : 'no reason is known';
    return `paused  ${pluralize(pause.n, 'crawl')}: ${why}`;
  });

function renderCrawlCounts(overview: Overview): string {
  const kinds = Object.entries(groupByKind(overview));
  if (kinds.length === 0) return 'no crawls yet';
  const shown = CRAWL_STATES.filter((state) => kinds.some(([, states]) => states[state] !== undefined));
  return renderTable(
    ['crawls', ...shown],
    kinds.map(([kind, states]) => [kind, ...shown.map((state) => states[state])]),
  );
}

function renderActiveCrawls({ active, at }: Overview): string {
  if (active.crawls.length === 0) return '';
  const more = active.total - active.crawls.length;
  return formatCrawlTable(active.crawls, at) + (more > 0 ? `\nand ${pluralize(more, 'crawl')} more` : '');
}

function renderRates({ rates }: Overview): string {
  const hasNotFound = rates.some(({ notFound }) => notFound > 0);
  return renderTable(
    ['rates', 'requests', 'failed', ...(hasNotFound ? ['not found'] : []), 'items', 'bytes'],
    rates.map(({ ms, requests, failed, notFound, items, bytes }) => [
      `last ${formatDuration(ms)}`,
      requests,
      failed,
      ...(hasNotFound ? [notFound] : []),
      items,
      formatBytes(bytes),
    ]),
  );
}
