import { REMAINING_RATE_MS } from '#analysis/crawls/throughput.ts';
import { SECOND } from '#base/clock.ts';
import { findAccount } from '#cli/targets/find-account.ts';
import { formatCount, pluralize, formatDuration } from '#cli/terminal/print.ts';
import { describeWait, findCommonHold } from '#crawl/gates/describe-holds.ts';
import { estimateTimeRemaining, type RequestRates } from '#crawl/gates/time-remaining.ts';
import type { ProgressSnapshot } from '#library/run/follow-crawls.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { formatTarget } from '#service/kinds/target.ts';
import type { CrawlRow } from '#store/schema/crawl-row.ts';
import type { Store } from '#store/store.ts';

const SEPARATOR = ' · ';

/** Formats progress lines: progress, the reason for a pause, time remaining, quota and rate. */
export function createProgressFormatter(
  store: Store,
  before: readonly CrawlRow[],
  startedAt: number,
): (rows: readonly CrawlRow[], snapshot: ProgressSnapshot) => string {
  const measureRates = createRateMeter({ at: startedAt, requests: sum(before, 'requests') });
  let heldAt = -Infinity;

  return (rows, snapshot) => {
    const { now, quota } = snapshot;
    const items = sum(rows, 'items');
    const rates = measureRates({ at: now, requests: sum(rows, 'requests') });
    const open = rows.filter(({ finishedAt }) => finishedAt === null);
    const hold = findCommonHold(open, snapshot, now);
    if (hold) heldAt = now;
    const hasPaused = now - heldAt < REMAINING_RATE_MS;
    const rest = estimateRest(store, open);
    const requests = rest && countRequests(rest, before, rows);
    const { priority } = open[0] ?? {};
    const left =
      requests && priority
        ? estimateTimeRemaining(requests, { now, priority, quota, rates, hold, hasPaused })
        : undefined;
    const [only] = rows;
    // In order of importance: a narrow terminal shows the first parts.
    return [
      rows.length === 1 && only
        ? `${only.kind} ${formatTarget(only)}`
        : `${rows.length - open.length} of ${pluralize(rows.length, 'crawl')} ended`,
      hold && `paused: ${describeWait(hold, now)}`,
      left === undefined ? undefined : `about ${formatDuration(left)} remaining`,
      rest
        ? `${formatCount(items)} of up to ${formatCount(items + rest.objects + rest.items)} items`
        : pluralize(items, 'item'),
      quota?.estimate === undefined
        ? undefined
        : `quota ${formatCount(quota.estimate)} of ${formatCount(quota.limit ?? 0)}`,
      `${formatRate(rates.now * SECOND)} requests/s`,
      pluralize(sum(rows, 'pages'), 'page'),
      hold?.why,
    ]
      .filter((part) => part !== undefined)
      .join(SEPARATOR);
  };
}

const formatRate = (rate: number): string => (rate < 10 ? rate.toFixed(1) : formatCount(Math.round(rate)));

const sum = (rows: readonly CrawlRow[], field: 'items' | 'pages' | 'requests'): number =>
  rows.reduce((n, row) => n + row[field], 0);

const isObject = ({ kind }: CrawlRow): boolean => getKind(kind).shape === 'object';

/** What open crawls have left: objects, and items of lists. */
interface Rest {
  readonly objects: number;
  readonly items: number;
}

/** Returns what open crawls have left, by the counts of the profiles; undefined if one is unknown or too small. */
function estimateRest(store: Store, open: readonly CrawlRow[]): Rest | undefined {
  const lists = open.filter((row) => !isObject(row));
  let items = 0;
  for (const row of lists) {
    const { countColumn } = getKind(row.kind);
    if (!countColumn || row.options !== '{}') return undefined;
    const user = row.targetRestId ? store.read.userById(row.targetRestId) : findAccount(store.read, row.target);
    const reported = user?.[countColumn];
    if (reported == null) return undefined;
    items += reported - row.items;
  }
  return items < 0 ? undefined : { objects: open.length - lists.length, items };
}

const sumLists = (rows: readonly CrawlRow[], field: 'items' | 'requests'): number =>
  sum(
    rows.filter((row) => !isObject(row)),
    field,
  );

/** The requests of the rest: one for each object, and those of lists by their items per request since the start. Undefined if these are unknown. */
function countRequests(
  { objects, items }: Rest,
  before: readonly CrawlRow[],
  rows: readonly CrawlRow[],
): number | undefined {
  if (items === 0) return objects;
  const newItems = sumLists(rows, 'items') - sumLists(before, 'items');
  const sent = sumLists(rows, 'requests') - sumLists(before, 'requests');
  return newItems === 0 ? undefined : objects + Math.ceil((items * sent) / newItems);
}

/** A count at a time, milliseconds UTC. */
export interface Reading {
  readonly at: number;
  readonly requests: number;
}

/** Returns a function that takes the readings in chronological order and returns the rates, now of the last 30 s. */
function createRateMeter(start: Reading): (reading: Reading) => RequestRates {
  const readings = [start];
  let best = 0;
  return (reading) => {
    readings.push(reading);
    while (readings[1]!.at <= reading.at - REMAINING_RATE_MS) readings.shift();
    const base = readings[0]!;
    const now = (reading.requests - base.requests) / Math.max(SECOND, reading.at - base.at);
    best = Math.max(best, now);
    return { now, best };
  };
}
