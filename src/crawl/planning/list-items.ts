import { type CrawlSpec, type Estimate, parseCrawlOptions } from '../../service/kinds/crawl-spec.ts';
import { getKind, isIncremental } from '../../service/kinds/kinds.ts';
import { createHandleTarget, parseAccount } from '../../service/kinds/target.ts';
import type { KindStatistics, PlanningFacts } from '../../store/schema/planning-facts.ts';
import { createOpenEstimate, mapEstimate, createExactEstimate } from './estimate.ts';

/** A fact that may be unknown, so that a plan is a range. */
export type PlanFact = 'profile' | 'items' | 'share' | 'pageSize' | 'isPaged' | 'children' | 'overlap' | 'halves';

/** The facts that plans are made from, and the time of the plan. */
export interface PlanContext {
  readonly facts: PlanningFacts;
  readonly now: number;
  /** Called for each unknown fact. */
  readonly reportMissing: (fact: PlanFact) => void;
}

/** A list to be planned: the requested crawl, and what the store knows of its list. */
export type PlannedList = Awaited<ReturnType<typeof loadPlannedList>>;

/** Reads everything that the plan of one list needs, without its child crawls. */
export async function loadPlannedList(spec: CrawlSpec, context: PlanContext) {
  const { facts } = context;
  const { target } = spec;
  const kind = getKind(spec.kind);
  const { targetType, countColumn } = kind;
  const options = parseCrawlOptions(spec);
  const account = targetType === 'account' ? await facts.account(parseAccount(target)) : undefined;
  // A list may have been crawled by the account's handle or by its id.
  const names = account ? [target, `id:${account.restId}`] : [target];
  if (account?.screenName != null) names.push(createHandleTarget(account.screenName));
  const listId = targetType === 'account' ? account?.restId : target;
  const [earlier, unfinished, statistics, cursorSupport, intervals, share, replies] = await Promise.all([
    facts.latestCrawls(spec.kind, names),
    facts.unfinishedCrawl(spec),
    facts.kindStatistics(spec.kind),
    facts.cursorSupport(kind.endpoint),
    // The intervals at which an incremental crawl stops.
    isIncremental(kind, options) && listId !== undefined ? facts.intervals(spec.kind, listId) : [],
    // The share of the reported items that lists of the kind show.
    countColumn && facts.listShares(spec.kind, countColumn),
    targetType === 'tweet' ? facts.replyCount(target) : undefined,
  ]);
  const known = { account, earlier, unfinished, statistics, cursorSupport, intervals, share, replies };
  return { ...context, spec, kind, options, ...known };
}

/** Estimates the number of items of the whole list, by the newer of its last complete crawl and the count of the profile. */
export function estimateItems({ kind, account, earlier, share, replies, reportMissing }: PlannedList): Estimate {
  if (replies !== undefined) return createExactEstimate(replies);
  const whole = earlier?.whole;
  const { countColumn } = kind;
  const count = countColumn && account?.[countColumn];
  if (countColumn === undefined || count == null) {
    if (whole) return { min: 0, expected: whole.items, max: null };
    reportMissing(countColumn ? 'profile' : 'items');
    return createOpenEstimate(0);
  }
  // Only a profile has the number of tweets; a summary has the other counts.
  const countedAt =
    (countColumn === 'statusesCount' ? account?.profileAt : account?.summaryAt) ?? account?.profileAt ?? 0;
  if (whole && whole.at >= countedAt && !kind.isNewestFirst) return createExactEstimate(whole.items);
  if (count === 0) return createExactEstimate(0);
  // A list may show a part of the count only: a timeline has no replies.
  if (share === undefined) {
    if (countColumn === 'statusesCount') reportMissing('share');
    return { min: 0, expected: countColumn === 'statusesCount' ? null : count, max: count };
  }
  const isEnough = share.lists >= ENOUGH;
  return {
    min: isEnough ? Math.floor(count * Math.min(1, share.least)) : 0,
    expected: Math.round(count * (share.items / share.reported)),
    max: Math.ceil(count * (isEnough ? share.most : Math.max(1, share.most))),
  };
}

/** The minimum number of lists that show the range of shares. */
const ENOUGH = 10;

/** Returns the mean number of items on a full page; undefined if no full page was seen. */
export const computePageSize = (statistics: KindStatistics | undefined): number | undefined =>
  statistics && statistics.fullPages > 0 && statistics.fullItems > 0
    ? statistics.fullItems / statistics.fullPages
    : undefined;

/** Estimates how many of the items are not older than `since`, if they are evenly distributed from `from` to `until`. */
export function estimateItemsSince(
  items: Estimate,
  since: number,
  from: number | null | undefined,
  until: number,
): Estimate {
  if (since >= until) return { min: 0, expected: 0, max: items.max };
  if (from == null || from >= until) return { ...items, min: 0, expected: null };
  if (since <= from) return items;
  const even = mapEstimate(items, (n) => Math.ceil((n * (until - since)) / (until - from)));
  return { min: 0, expected: even.expected, max: items.max };
}
