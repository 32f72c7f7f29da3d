import { SECOND } from '../../clock.ts';
import { getKind } from '../../kinds/kinds.ts';
import { formatTarget } from '../../kinds/target.ts';
import type { Priority } from '../../quota/priorities.ts';
import type { ProgressSnapshot, QuotaLeft } from '../../run/follow-crawls.ts';
import { type Obstacles, isBlocked } from '../../run/outage-wait.ts';
import type { CrawlRow } from '../../store/schema/crawl-row.ts';
import type { Store } from '../../store/store.ts';
import { describeOutage } from '../shared/outage-report.ts';
import { findAccount } from '../targets/find-account.ts';
import { formatCount, pluralize, formatDuration } from '../terminal/format.ts';

const SEPARATOR = ' · ';

/**
 * Formats progress lines: progress, time left, quota and rate. Rates count from `startedAt`, without the time in which
 * all crawls wait.
 */
export function createProgressFormatter(
  store: Store,
  before: readonly CrawlRow[],
  startedAt: number,
): (rows: readonly CrawlRow[], snapshot: ProgressSnapshot) => string {
  const start = { items: sum(before, 'items'), requests: sum(before, 'requests') };
  let [lastReadAt, active, wasWaiting] = [startedAt, 0, false];

  return (rows, { now, quota, outage, shortage }) => {
    const wait = findWait(rows, now, quota, { outage, shortage });
    if (!wasWaiting) active += now - lastReadAt;
    lastReadAt = now;
    wasWaiting = wait !== undefined;
    const perMs = (field: 'items' | 'requests') => (sum(rows, field) - start[field]) / Math.max(1, active);
    const done = rows.filter(({ finishedAt }) => finishedAt !== null).length;
    const items = sum(rows, 'items');
    const expected = estimateItems(store, rows);
    const [only] = rows;
    const head =
      rows.length === 1 && only
        ? `${only.kind} ${formatTarget(only)}`
        : `${done} of ${pluralize(rows.length, 'crawl')} ended`;
    const isKnown = expected !== undefined && expected >= items;
    const work = isKnown && expected > items && perMs('items') > 0 ? (expected - items) / perMs('items') : undefined;
    const left = work === undefined ? undefined : work + (wait?.ms ?? 0);
    // In order of importance: a narrow terminal shows the first parts.
    return [
      head,
      wait?.reason,
      left === undefined ? undefined : `about ${formatDuration(left)} left`,
      isKnown ? `${formatCount(items)} of up to ${formatCount(expected)} items` : `${formatCount(items)} items`,
      quota && `quota ${formatCount(quota.left)} of ${formatCount(quota.limit)}`,
      `${formatRate(perMs('requests') * SECOND)} requests/s`,
      pluralize(sum(rows, 'pages'), 'page'),
    ]
      .filter((part) => part !== undefined)
      .join(SEPARATOR);
  };
}

const formatRate = (rate: number): string => (rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate)));

const sum = (rows: readonly CrawlRow[], field: 'items' | 'pages' | 'requests'): number =>
  rows.reduce((n, row) => n + row[field], 0);

/** The expected number of items by the counts of the profiles; undefined if one is unknown. */
function estimateItems(store: Store, rows: readonly CrawlRow[]): number | undefined {
  let expected = 0;
  for (const row of rows) {
    const kind = getKind(row.kind);
    if (row.finishedAt !== null || kind.shape === 'object') {
      expected += Math.max(row.items, row.finishedAt === null ? 1 : 0);
      continue;
    }
    if (!kind.countColumn || row.options !== '{}') return undefined;
    const user = row.targetRestId ? store.read.userById(row.targetRestId) : findAccount(store.read, row.target);
    const reported = user?.[kind.countColumn];
    if (reported == null) return undefined;
    expected += reported;
  }
  return expected;
}

/**
 * Why all unfinished crawls wait, and for how long at least in ms (0 if unknown); undefined if one can run. A pause for
 * quota holds for all crawls of its priority, including those that have not started.
 */
function findWait(
  rows: readonly CrawlRow[],
  now: number,
  quota: QuotaLeft | undefined,
  obstacles: Obstacles,
): { readonly reason: string; readonly ms: number } | undefined {
  const open = rows.filter(({ finishedAt }) => finishedAt === null);
  const { outage, shortage } = obstacles;
  if (open.length > 0 && open.every((row) => isBlocked(row, obstacles))) {
    const full = shortage?.why ?? open.find(({ reason }) => reason === 'disk')?.error;
    if (full != null) return { reason: `paused: disk full: ${full}`, ms: 0 };
    const noResponse = `the service does not respond: ${open[0]!.error ?? 'retrying'}`;
    return { reason: describeOutage(outage, now) ?? noResponse, ms: 0 };
  }
  const paused = open.filter(({ state, resumeAt }) => state === 'paused' && (resumeAt ?? 0) > now);
  const others = open.filter((row) => !paused.includes(row));
  const endsOf = (as: Priority): number[] => {
    const low = paused.filter((row) => row.reason === 'quota' && row.priority === as).map(({ resumeAt }) => resumeAt!);
    return [...low, quota?.priorities[as].pausedUntil ?? 0].filter((until) => until > now);
  };
  if (open.length === 0 || !others.every((row) => row.state !== 'running' && endsOf(row.priority).length > 0))
    return undefined;
  const next = Math.min(...paused.map(({ resumeAt }) => resumeAt!), ...others.flatMap((row) => endsOf(row.priority)));
  const why =
    others.length > 0 || paused.some(({ reason }) => reason === 'quota')
      ? 'paused: low quota'
      : paused.every(({ reason }) => reason === 'budget')
        ? 'paused: daily budget spent'
        : `retrying after: ${paused[0]?.error ?? 'an error'}`;
  return { reason: `${why}, resumes in about ${formatDuration(next - now)}`, ms: next - now };
}
