import { DAY } from '#base/clock.ts';
import { addToDigest } from '#base/raw-bodies.ts';
import {
  decideHints,
  HINT,
  type HintDecision,
  isStaleCursor,
  restartCheckpoint,
  restartFromTop,
} from '#crawl/pagination/cursor-hints.ts';
import { type CursorRequest, digestText } from '#crawl/pagination/cursor-origin.ts';
import { decideRetry, INCOMPLETE, type PageRetry } from '#crawl/pagination/page-retry.ts';
import { paginate } from '#crawl/pagination/paginate.ts';
import { decideWindowEnd, type SearchFacts } from '#crawl/search/window-crawl.ts';
import { type CrawlCheckpoint, NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import { createChildSpecs } from '#service/kinds/crawl-spec.ts';
import {
  createListEnd,
  createPartialEnd,
  GONE_ENDS,
  type ListEnd,
  NO_TWEETS,
  SEEN_LATELY,
  UNAVAILABLE_LIST,
} from '#service/kinds/decide-end.ts';
import { CAPABILITY_MAX_AGE, IGNORED_CURSORS_MAX_AGE, getKind } from '#service/kinds/kinds.ts';
import type { PageSummary } from '#store/normalise/parse-page.ts';
import type {
  CursorSupport,
  EndpointFinding,
  ObservedCursorSupport,
  PageCommit,
} from '#store/schema/commit-messages.ts';
import type { CoveredInterval, StoredCrawl } from '#store/schema/query-results.ts';
import type { Finding } from './account-resolution.ts';
import { servedHandle } from './crawl-handles.ts';

/** A page, or what was found in its place. */
export type PageOutcome =
  | Finding
  | {
      readonly is: 'page';
      readonly summary: PageSummary;
      readonly request: CursorRequest;
      /** When the page was requested. */
      readonly at: number;
      /** SHA-256 of the body, of kinds whose responses may come from a cache. */
      readonly hashBody: string | undefined;
      /** The handle was looked up in this crawl. */
      readonly isHandleVerified: boolean;
      readonly facts: StoredFacts;
    };

/** What the store knew before the page. */
export interface StoredFacts {
  /** The complete intervals of the list, newest first; empty where the crawl does not stop at them. */
  readonly intervals: readonly CoveredInterval[];
  /** Whether the endpoint follows cursors, as far as that is known and needed. */
  readonly capability: (CursorSupport & { readonly seenAt: number }) | undefined;
  /** Of searches. */
  readonly search: SearchFacts | undefined;
  /** What was learnt of the endpoint, where the page or the crawl has a hint or an incomplete response. */
  readonly findings: readonly EndpointFinding[];
}

/** What a page changes in its crawl; absent members stay as they are. */
interface CrawlChange {
  readonly cursor?: string | null;
  readonly checkpoint?: CrawlCheckpoint;
  readonly targetRestId?: string | null;
  /** Pages and items that the page adds. */
  readonly pages?: number;
  readonly items?: number;
}

/** The crawl as the store has it once the page is stored, and what its commit stores of it. */
interface AdvancedCrawl extends Pick<PageCommit, 'progress'> {
  readonly crawl: StoredCrawl;
}

type DecidedPart =
  | ('coverage' | 'searchedWindow' | 'end' | 'listDigest' | 'cursorSupport' | 'finding')
  | ('pageSize' | 'maxTargets' | 'children');

/** What follows from a page: the next state, and what its commit stores besides rows and requests. */
export interface Decision extends AdvancedCrawl, Pick<PageCommit, DecidedPart> {
  /** The crawl restarts because its cursor is stale. */
  readonly isStale?: boolean;
  /** The page is requested once more: at once, or after a while. */
  readonly retry?: Pick<PageRetry, 'waitMs' | 'why'> | undefined;
}

/** The change of a crawl by a page, and the parts of its commit. */
interface DecidedPage extends Omit<Decision, keyof AdvancedCrawl | 'children'>, Partial<Pick<Decision, 'children'>> {
  readonly change: CrawlChange;
}

/**
 * Decides what follows from a page. Pure: it sees summaries and facts, no rows. The commit may replace the end
 * by stored evidence (service/kinds/decide-end.ts).
 * @param rejectedCount items of the page and of its look-ups that were rejected.
 */
export function decide(crawl: StoredCrawl, page: PageOutcome, rejectedCount: number): Decision {
  const {
    change,
    children = [],
    ...decided
  } = page.is === 'page' ? decideOnPage(crawl, page, rejectedCount) : decideOnFinding(crawl, page);
  return { ...advanceCrawl(crawl, change, rejectedCount), children, ...decided };
}

/** The only place that computes the next state of a crawl. @param rejectedItems of the page and of its look-ups. */
export function advanceCrawl(before: StoredCrawl, change: CrawlChange, rejectedItems: number): AdvancedCrawl {
  const { pages = 0, items = 0, ...rest } = change;
  const crawl: StoredCrawl = {
    ...before,
    ...rest,
    consecutiveFailures: 0,
    pages: before.pages + pages,
    items: before.items + items,
    rejectedItems: before.rejectedItems + rejectedItems,
  };
  const { cursor, checkpoint, targetRestId } = crawl;
  return { crawl, progress: { cursor, checkpoint, targetRestId, pages, items, rejectedItems } };
}

function decideOnFinding(crawl: StoredCrawl, found: Finding): DecidedPage {
  switch (found.is) {
    case 'account': {
      const { id: targetRestId, isHandleUnused } = found;
      const checkpoint = { ...NEW_CHECKPOINT, isHandleVerified: true, isHandleUnused };
      return { change: { targetRestId, cursor: null, checkpoint } };
    }
    case 'cursor_refused':
      return crawl.checkpoint.hint ? refuseHint(crawl, crawl.checkpoint.hint) : restart(crawl);
    case 'seen_lately':
      return { change: {}, end: SEEN_LATELY };
    case 'no_tweets':
      return { change: { pages: 1, targetRestId: found.id }, end: NO_TWEETS };
    case 'gone':
      return { change: { pages: 1 }, end: GONE_ENDS[getKind(crawl.kind).targetType] };
  }
}

/** Restarts a crawl whose cursor the service has forgotten. Stored pages stay; coverage recognises complete ones. */
function restart(crawl: StoredCrawl, counts?: CrawlChange): DecidedPage {
  const { checkpoint, end } = restartFromTop(crawl.cursor!, crawl.checkpoint);
  const coverage = getKind(crawl.kind).isNewestFirst ? ({ spans: [], left: 'cursor_refused' } as const) : undefined;
  return { change: { ...counts, cursor: null, checkpoint }, coverage, end, isStale: true };
}

/** The service refused the text of a hint: the list goes on, and nothing says how. */
const refuseHint = (crawl: StoredCrawl, { name }: NonNullable<CrawlCheckpoint['hint']>): DecidedPage => ({
  change: { cursor: null, checkpoint: restartCheckpoint(crawl.checkpoint) },
  end: createPartialEnd('cursor_unreadable'),
  finding: createFinding(crawl, `${HINT}${name}`, 'none'),
});

const createFinding = (crawl: StoredCrawl, finding: string, outcome: string): PageCommit['finding'] => ({
  endpoint: getKind(crawl.kind).endpoint,
  finding,
  account: digestTarget(crawl),
  outcome,
});

const digestTarget = ({ targetRestId, target }: StoredCrawl): string => digestText(targetRestId ?? target);

type FetchedOutcome = Extract<PageOutcome, { is: 'page' }>;

function decideOnPage(crawl: StoredCrawl, page: FetchedOutcome, rejectedCount: number): DecidedPage {
  const { options, checkpoint, cursor } = crawl;
  const { summary, at, facts } = page;
  const { owner, itemIds, incomplete } = summary;
  const counts = { pages: 1, items: itemIds.length, targetRestId: owner?.restId ?? crawl.targetRestId };
  if (summary.isUnavailable) return { change: counts, end: UNAVAILABLE_LIST };
  const isAskedAgain = checkpoint.hint !== undefined || checkpoint.isRepeatedPage === true;
  if (incomplete === undefined && !isAskedAgain && isStaleCursor(cursor, checkpoint, summary, at))
    return restart(crawl, counts);
  const retry = decideRetry(summary, checkpoint, { cursor, at, findings: facts.findings });
  const { then, maxTargets } = options;
  const children = then ? createChildSpecs(crawl, options, summary.accounts) : [];
  // Items are counted when they come again. Rejected ones, and child crawls, are not left until then: they may not come again.
  const { targetRestId } = counts;
  if (retry) return { change: { targetRestId, checkpoint: retry.checkpoint }, children, maxTargets, retry };
  if (incomplete === undefined) return { maxTargets, children, ...decideOnList(crawl, page, counts, rejectedCount) };
  // The rows of an incomplete response are stored. It proves nothing, so that its list cannot end but as partial.
  const { hasRetriedIncomplete: _, ...kept } = checkpoint;
  return {
    change: { ...counts, checkpoint: kept },
    end: createPartialEnd('incomplete_response'),
    finding: createFinding(crawl, INCOMPLETE, incomplete),
    children,
    maxTargets,
  };
}

/** Decides on a complete response: the end of its list, its coverage, and findings about its endpoint. */
function decideOnList(
  crawl: StoredCrawl,
  { summary: served, request, at, hashBody, isHandleVerified, facts }: FetchedOutcome,
  counts: CrawlChange,
  rejectedCount: number,
): DecidedPage {
  const { checkpoint } = crawl;
  const kind = getKind(crawl.kind);
  const { owner, itemIds, servedCount } = served;
  const { capability, intervals, findings, search } = facts;
  const { cursor, trial, learnt }: HintDecision =
    checkpoint.hint || served.hints.length > 0
      ? decideHints(served, checkpoint, {
          account: digestTarget(crawl),
          sentCursor: crawl.cursor,
          findings,
          cursorsWork: capability?.cursor === 'followed',
          at,
        })
      : served;
  const summary = { ...served, cursor };
  const listDigest = hashBody === undefined ? undefined : addPageToDigest(crawl, hashBody);
  // Invariant 9: no second page is requested of an endpoint that ignores its cursors, but by one crawl an hour.
  const ignoresCursors = crawl.cursor === null && capability?.cursor === 'ignored';
  const cursorsWork = !ignoresCursors || at - capability!.seenAt > IGNORED_CURSORS_MAX_AGE;
  const next = paginate(crawl, summary, { request, at, listDigest, intervals, cursorsWork, trial });
  // An item that comes twice, or an advertisement, makes a page look longer than it is.
  const longest = search && measureLongest(new Set(itemIds).size, at, search);
  const { end, ...conclusion } =
    next.end && search?.window
      ? decideWindowEnd(next.end, crawl, {
          page: { served: servedCount, tweets: summary.positions.filter((place) => place !== null) },
          at,
          window: search.window,
          longest: longest?.entries ?? 0,
          before: search.parentPage,
          isPaged: capability?.cursor === 'followed',
        })
      : { end: next.end };
  // Invariant 5: items that were skipped are missing, however the list ends.
  const missing = crawl.rejectedItems + rejectedCount + (next.checkpoint.hasSkippedRejects ? 1 : 0);
  const change = { ...counts, cursor: next.cursor, checkpoint: { ...next.checkpoint, isHandleVerified } };
  return {
    change,
    coverage: next.covered,
    end: end && { ...createListEnd(crawl.kind, end, missing), handle: servedHandle(crawl, owner) },
    listDigest,
    cursorSupport:
      ignoresCursors && cursorsWork && next.cursor !== null
        ? observeCursors(crawl, 'asked')
        : learnCapability(crawl, itemIds.length, next.end),
    finding: learnt && createFinding(crawl, `${HINT}${learnt.name}`, learnt.outcome),
    pageSize: longest?.isNews ? { endpoint: kind.endpoint, entries: longest.entries } : undefined,
    ...conclusion,
  };
}

/** The digest of the list up to a page; undefined where another crawl read its beginning. */
function addPageToDigest({ cursor, checkpoint }: StoredCrawl, hashBody: string): string | undefined {
  if (cursor === null) return addToDigest(undefined, hashBody);
  return checkpoint.listDigest === undefined ? undefined : addToDigest(checkpoint.listDigest, hashBody);
}

/** The longest page of the endpoint lately, this one included. */
function measureLongest(
  entries: number,
  at: number,
  { longestPage: before }: SearchFacts,
): { readonly entries: number; readonly isNews: boolean } {
  if (before === undefined || entries > before.entries || at - before.seenAt > CAPABILITY_MAX_AGE)
    return { entries, isNews: true };
  return { entries: before.entries, isNews: entries === before.entries && at - before.seenAt > DAY };
}

const observeCursors = (crawl: StoredCrawl, cursor: ObservedCursorSupport['cursor']): ObservedCursorSupport => ({
  endpoint: getKind(crawl.kind).endpoint,
  cursor,
  account: digestTarget(crawl),
});

/**
 * Any page may show that the endpoint ignores a cursor. The second page of a list, and a page after a cursor that was ignored
 * before, may show that it follows cursors. The cursor of a hint is not one of the endpoint's own.
 */
function learnCapability(
  crawl: StoredCrawl,
  itemCount: number,
  end: ListEnd | undefined,
): ObservedCursorSupport | undefined {
  if (crawl.cursor === null || itemCount === 0 || crawl.checkpoint.hint) return undefined;
  if (end?.reason === 'cursor_ignored') return observeCursors(crawl, 'ignored');
  return crawl.pages === 1 || crawl.checkpoint.isCursorIgnored ? observeCursors(crawl, 'followed') : undefined;
}
