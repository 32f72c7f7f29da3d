import { DAY, systemClock } from '../../clock.ts';
import { parseCheckpoint } from '../../engine/pagination/crawl-checkpoint.ts';
import {
  mergeWindows,
  startOfDay,
  type DateWindow,
  splitIntoWindows,
  subtractWindows,
} from '../../engine/search/date-windows.ts';
import { readDateWindow, createWindowSpec } from '../../engine/search/window-crawl.ts';
import { createCrawlSpec, parseCrawlOptions } from '../../kinds/crawl-spec.ts';
import { parseAccount, createHandleTarget } from '../../kinds/target.ts';
import type { KnownInterval } from '../../store/coverage/intervals.ts';
import { PAGE_LIFE } from '../../store/evidence/endpoint-capabilities.ts';
import type { KnownUser, Reads } from '../../store/reads.ts';
import type { CrawlRow, CrawlSpec } from '../../store/schema/messages.ts';
import { foldHandle } from '../../text.ts';

/** What a backfill is to fetch, by what the store knows. Nothing of it is kept: the store says anew how far it came. */

export interface SearchBackfillPlan {
  /** The search string without dates; of an account's tweets, with the handle in lower case. */
  readonly query: string;
  /** The handle in it, as it is sent. */
  readonly handle: string | undefined;
  /** What was searched before. */
  readonly seen: readonly DateWindow[];
  /** Days of it that hide more than a page shows. */
  readonly saturated: readonly DateWindow[];
  /** Windows of it with items that could not be stored. */
  readonly rejected: readonly DateWindow[];
  /** Searches that were begun and go on, and how many crawls of them are unfinished. */
  readonly goesOn: readonly CrawlSpec[];
  readonly unfinished: number;
  /** What is searched anew, newest first. */
  readonly windows: readonly DateWindow[];
}

export interface SearchBackfillRequest {
  readonly query: string;
  readonly handle?: string | undefined;
  /** What is wanted, oldest first. */
  readonly wanted: readonly DateWindow[];
  /** The most days that one search is to cover. */
  readonly days: number | undefined;
  /** What was searched before this is no answer: the account whose tweets are sought had another handle. */
  readonly since?: number | undefined;
}

/** What is left to search: what was neither asked about before nor is about to be. */
export function planSearchBackfill(
  read: Reads,
  { query, handle, wanted, days, since }: SearchBackfillRequest,
): SearchBackfillPlan {
  const within = (all: readonly DateWindow[]): DateWindow[] => {
    const rest = wanted.flatMap((one) => subtractWindows(one, all));
    return mergeWindows(wanted.flatMap((one) => subtractWindows(one, rest)));
  };
  const seen = within(read.searched(query, since));
  const open = read.unfinished({ kind: 'search', target: query }).flatMap((crawl) => {
    const window = readDateWindow(parseCrawlOptions(crawl));
    return window && within([window]).length > 0 ? [{ crawl, window }] : [];
  });
  const missing = wanted.flatMap((one) => subtractWindows(one, [...seen, ...open.map(({ window }) => window)]));
  // Whoever joins the first of a family joins all of it.
  const rootIds = [...new Set(open.map(({ crawl }) => crawl.rootId ?? crawl.id))];
  const roots = read.crawls(rootIds);
  return {
    ...{ query, handle, seen },
    saturated: within(read.saturated(query, since)),
    rejected: within(read.rejected(query, since)),
    goesOn: roots.map(({ kind, target, options, class: as }) => ({ kind, target, options, class: as })),
    unfinished: read.family(rootIds).filter(({ finishedAt }) => finishedAt === null).length,
    windows: splitIntoWindows(missing, days),
  };
}

/** Whether what was searched did not show all that it should. Searching again would not help. */
export const isIncomplete = ({ saturated, rejected }: SearchBackfillPlan): boolean =>
  saturated.length + rejected.length > 0;

export const isFullySearched = ({ goesOn, windows }: SearchBackfillPlan): boolean =>
  goesOn.length + windows.length === 0;

/**
 * The crawls of a plan. While nobody knows how long a page of the service's search is, one search without dates comes
 * first: with nothing to compare it to, a lone tweet would look like a page that is full.
 */
export function buildSearchSpecs(
  read: Reads,
  { query, handle, goesOn, windows }: SearchBackfillPlan,
  isMeasured: boolean,
): CrawlSpec[] {
  const as = { class: 'backfill', handle } as const;
  if (windows.length > 0 && needsPageSizeProbe(read) && !isMeasured) {
    return [{ ...createCrawlSpec({ kind: 'search', target: query, class: 'backfill' }), handle }];
  }
  return [...goesOn, ...windows.map((window) => createWindowSpec(query, window, as))];
}

/** A page that is shorter tells rather how much there was to find than how much fits on it. */
const TELLING = 10;

/** Whether it was not learnt lately how long a page of a search is. */
export function needsPageSizeProbe(read: Reads, now = systemClock.now()): boolean {
  const { entries, seenAt } = read.longestPage('search') ?? { entries: 0, seenAt: -Infinity };
  return entries < TELLING || now - seenAt > PAGE_LIFE;
}

export interface TimelineBackfillPlan {
  readonly user: KnownUser | undefined;
  /** The day of the account, where more was asked for: before it, it wrote nothing. */
  readonly born: number | undefined;
  /** The oldest of the timeline, where it is known to end within what is wanted: services cut lists short. */
  readonly end: number | undefined;
  /** What is known complete of what is wanted, what is not, and what lies below an inferred end: there may be more. */
  readonly complete: readonly DateWindow[];
  readonly gaps: readonly DateWindow[];
  readonly unproven: readonly DateWindow[];
  /** The crawl that walks the timeline, where that may fill a gap. */
  readonly walk: CrawlSpec | undefined;
  /** Searches for what the walk did not reach; before it, for all that it may leave. Undefined without a handle. */
  readonly search: SearchBackfillPlan | undefined;
  /** How much the account writes and a page holds, as far as its timeline is known. */
  readonly pace: { readonly perDay: number; readonly perPage: number } | undefined;
}

export interface TimelineBackfillRequest {
  /** The account, as the target of its crawl. */
  readonly account: string;
  /** Its handle as it was typed. */
  readonly handle?: string | null | undefined;
  readonly wanted: DateWindow;
  readonly days: number | undefined;
}

/** @param walked the crawl of the timeline that this run has walked: then the searches are for what it did not reach. */
export function planTimelineBackfill(
  read: Reads,
  wish: TimelineBackfillRequest,
  walked?: CrawlRow,
): TimelineBackfillPlan {
  const { account, wanted, days } = wish;
  const named = parseAccount(account);
  const restId = walked?.targetId ?? ('id' in named ? named.id : read.userByHandle(named.handle)?.restId);
  const user = restId === undefined ? undefined : read.userById(restId);
  const intervals = restId === undefined ? [] : read.intervals('timeline', restId);
  // Before there was an account, it wrote nothing.
  const born = user?.createdAt == null ? wanted.from : Math.max(wanted.from, startOfDay(user.createdAt));
  const known = user?.screenName ?? undefined;
  const names = [
    account,
    ...(user ? [`id:${user.restId}`, known === undefined ? account : createHandleTarget(known)] : []),
  ];
  const last = walked ?? (user && read.lastDone('timeline', user.restId, names));
  // Nothing was newer than what the walk saw at the top when it began; what was written since, it need not have seen.
  const [topmost] = intervals;
  const atTop = last && topmost && sawTop(last, topmost) ? [{ from: topmost.newestAt, to: last.startedAt ?? 0 }] : [];
  const whole = { from: Math.min(born, wanted.to), to: wanted.to };
  const claimed = [...intervals.map(claimOf), ...atTop];
  const gaps = subtractWindows(whole, [...claimed, ...intervals.flatMap(belowInferred)]);
  const unclaimed = subtractWindows(whole, claimed);
  const unproven = unclaimed.flatMap((part) => subtractWindows(part, gaps));
  const handle = known ?? ('handle' in named ? (wish.handle ?? named.handle) : undefined);
  const query = handle === undefined ? undefined : `from:${foldHandle(handle)}`;
  const since = user && read.handleSince(user.restId);
  const search =
    query === undefined || walked?.reason === 'no_tweets'
      ? undefined
      : planSearchBackfill(read, {
          query,
          handle,
          wanted: subtractWindows(whole, [...intervals.map(shownOf), ...atTop]),
          days,
          since,
        });
  const unseen = gaps.flatMap((gap) => subtractWindows(gap, query === undefined ? [] : read.searched(query, since)));
  // What is new is to join what is known.
  const floor = Math.min(unseen[0]?.from ?? Infinity, topmost?.newestAt ?? Infinity);
  const walk = walked === undefined && unseen.length > 0 ? walkTo(read, wish, floor) : undefined;
  const end = intervals.find(({ bottom }) => bottom !== null)?.oldestAt;
  return {
    user,
    born: whole.from > wanted.from ? whole.from : undefined,
    end: end !== undefined && end > whole.from && end < whole.to ? end : undefined,
    ...{ complete: subtractWindows(whole, unclaimed), gaps, unproven, walk, search, pace: paceOf(intervals) },
  };
}

/** Whether the topmost interval reaches up to what was the list's newest item when a crawl of it began. */
function sawTop({ guard, rejected, reason }: CrawlRow, { newestAt }: KnownInterval): boolean {
  if (reason === 'no_tweets') return true;
  const { walk, tookOver } = parseCheckpoint(guard);
  // It claimed what it saw before it leapt elsewhere, if all of it could be read.
  if (tookOver !== undefined) return rejected === 0;
  return walk !== undefined && walk !== 'lost' && walk.fromTop && walk.newest !== null && walk.newest.at <= newestAt;
}

/** What an interval claims: what is strictly between its bounds, and all that is older where the service ended the list. */
const claimOf = ({ newestAt, oldestAt, bottom }: KnownInterval): DateWindow => ({
  from: bottom === 'served' ? -Infinity : oldestAt + 1,
  to: newestAt,
});

/** What is older than an inferred end. No walk finds more of it, and nothing proves that there is no more. */
const belowInferred = ({ oldestAt, bottom }: KnownInterval): DateWindow[] =>
  bottom === 'inferred' ? [{ from: -Infinity, to: oldestAt + 1 }] : [];

/** What of it need not be searched: services cut lists short, so below the end of one there may be more to find. */
const shownOf = ({ newestAt, oldestAt, bottom }: KnownInterval): DateWindow => ({
  from: bottom === null ? oldestAt + 1 : startOfDay(oldestAt),
  to: newestAt,
});

function paceOf(intervals: readonly KnownInterval[]): TimelineBackfillPlan['pace'] {
  const sum = (of: (one: KnownInterval) => number): number => intervals.reduce((n, one) => n + of(one), 0);
  const [items, pages, ms] = [
    sum((one) => one.items),
    sum((one) => one.pages),
    sum((one) => one.newestAt - one.oldestAt),
  ];
  return items > 0 && pages > 0 && ms > 0 ? { perDay: (items / ms) * DAY, perPage: items / pages } : undefined;
}

/** A walk that is under way and goes deep enough stands for a new one. */
function walkTo(read: Reads, { account, handle }: TimelineBackfillRequest, since: number): CrawlSpec {
  const other = read.unfinished({ kind: 'timeline', target: account }).find((crawl) => {
    const { since: floor = 0, ...limits } = parseCrawlOptions(crawl);
    return floor <= since && Object.keys(limits).length === 0;
  });
  if (other) return { kind: other.kind, target: other.target, options: other.options, class: other.class };
  return { ...createCrawlSpec({ kind: 'timeline', target: account, options: { since }, class: 'backfill' }), handle };
}
