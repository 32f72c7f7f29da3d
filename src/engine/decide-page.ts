import { DAY } from '../clock.ts';
import { NEW_CHECKPOINT } from '../kinds/checkpoint.ts';
import { createChildSpecs } from '../kinds/crawl-spec.ts';
import type { CrawlEnd } from '../kinds/end-states.ts';
import { CAPABILITY_MAX_AGE, getKind } from '../kinds/kinds.ts';
import type { PageSummary } from '../normalise/parse-page.ts';
import { addToDigest } from '../raw-bodies.ts';
import type { CursorSupport, PageCommit } from '../store/schema/messages.ts';
import type { CoveredInterval, StoredCrawl } from '../store/schema/query-results.ts';
import { advanceCrawl, type AdvancedCrawl, type CrawlChange } from './advance-crawl.ts';
import { servedHandle } from './crawl-handles.ts';
import type { Finding } from './not-found.ts';
import type { CursorRequest } from './pagination/cursor-origin.ts';
import { paginate } from './pagination/paginate.ts';
import { isStaleCursor, restartFromTop } from './pagination/stale-cursor.ts';
import type { SearchPage } from './search/bisection.ts';
import { decideWindowEnd, readDateWindow } from './search/window-crawl.ts';

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
  /** The longest page of the endpoint, of kinds with date windows. */
  readonly longestPage: { readonly entries: number; readonly seenAt: number } | undefined;
  /** The page of the window that was bisected into this one. */
  readonly parentPage: SearchPage | undefined;
}

type DecidedPart =
  | ('coverage' | 'searchedWindow' | 'end' | 'listDigest' | 'cursorSupport')
  | ('pageSize' | 'maxTargets' | 'children');

/** What follows from a page: the next state, and what its commit stores besides rows and requests. */
export interface Decision extends AdvancedCrawl, Pick<PageCommit, DecidedPart> {
  /** The crawl restarts because its cursor is stale. */
  readonly isStale?: boolean;
}

/**
 * Decides what follows from a page. Pure: it sees summaries and facts, no rows.
 * @param rejectedCount items of the page and of its look-ups that were rejected.
 */
export function decide(crawl: StoredCrawl, page: PageOutcome, rejectedCount: number): Decision {
  switch (page.is) {
    case 'account': {
      const { id: targetRestId, isHandleUnused } = page;
      const checkpoint = { ...NEW_CHECKPOINT, isHandleVerified: true, isHandleUnused };
      return { ...advanceCrawl(crawl, { targetRestId, cursor: null, checkpoint }, rejectedCount), children: [] };
    }
    case 'cursor_refused':
      return restart(crawl, {}, rejectedCount);
    case 'ended':
      return { ...advanceCrawl(crawl, { pages: page.pages }, rejectedCount), end: page.end, children: [] };
    case 'page':
      return decideOnPage(crawl, page, rejectedCount);
  }
}

/** Restarts a crawl whose cursor the service has forgotten. Stored pages stay; coverage recognises complete ones. */
function restart(crawl: StoredCrawl, counts: CrawlChange, rejectedCount: number): Decision {
  const { checkpoint, end } = restartFromTop(crawl.cursor!, crawl.checkpoint);
  const coverage = getKind(crawl.kind).isNewestFirst ? ({ spans: [], left: 'cursor_refused' } as const) : undefined;
  const next = advanceCrawl(crawl, { ...counts, cursor: null, checkpoint }, rejectedCount);
  return { ...next, coverage, end, children: [], isStale: true };
}

function decideOnPage(
  crawl: StoredCrawl,
  { summary, request, at, hashBody, isHandleVerified, facts }: Extract<PageOutcome, { is: 'page' }>,
  rejectedCount: number,
): Decision {
  const { options, checkpoint } = crawl;
  const kind = getKind(crawl.kind);
  const { owner, itemIds, servedCount } = summary;
  const counts = { pages: 1, items: itemIds.length, targetRestId: owner?.restId ?? crawl.targetRestId };
  if (isStaleCursor(crawl.cursor, checkpoint, summary, at)) return restart(crawl, counts, rejectedCount);

  const { capability, intervals } = facts;
  const listDigest = hashBody === undefined ? undefined : addPageToDigest(crawl, hashBody);
  const total = crawl.rejectedItems + rejectedCount;
  // Invariant 9: no second page is requested of an endpoint that ignored its cursor lately.
  const cursorsWork =
    crawl.cursor !== null || capability?.cursor !== 'ignored' || at - capability.seenAt > CAPABILITY_MAX_AGE;
  const input = { request, at, listDigest, rejectedCount: total, intervals, cursorsWork };
  const next = paginate(crawl, summary, input);
  // An item that comes twice, or an advertisement, makes a page look longer than it is.
  const longest = kind.supportedOptions.includes('window')
    ? measureLongest(new Set(itemIds).size, at, facts)
    : undefined;
  const end = next.end && { ...next.end, handle: servedHandle(crawl, owner) };
  const window = readDateWindow(options);
  const conclusion =
    end &&
    window &&
    decideWindowEnd(next.end!, crawl, {
      page: { served: servedCount, tweets: summary.positions.filter((place) => place !== null) },
      ...{ at, window, longest: longest?.entries ?? 0, before: facts.parentPage },
      isPaged: capability?.cursor === 'followed',
    });
  const change = { ...counts, cursor: next.cursor, checkpoint: { ...next.checkpoint, isHandleVerified } };
  return {
    ...advanceCrawl(crawl, change, rejectedCount),
    coverage: next.covered,
    end,
    listDigest,
    cursorSupport: learnCapability(crawl, itemIds.length, next.end),
    pageSize: longest?.isNews ? { endpoint: kind.endpoint, entries: longest.entries } : undefined,
    children: createChildSpecs(crawl, options, summary.accounts),
    maxTargets: options.maxTargets,
    ...conclusion,
  };
}

/** The digest of the list up to a page; undefined where an earlier version read its beginning. */
function addPageToDigest({ cursor, checkpoint }: StoredCrawl, hashBody: string): string | undefined {
  if (cursor === null) return addToDigest(undefined, hashBody);
  return checkpoint.listDigest === undefined ? undefined : addToDigest(checkpoint.listDigest, hashBody);
}

/** The longest page of the endpoint lately, this one included. */
function measureLongest(
  entries: number,
  at: number,
  { longestPage: before }: StoredFacts,
): { readonly entries: number; readonly isNews: boolean } {
  if (before === undefined || entries > before.entries || at - before.seenAt > CAPABILITY_MAX_AGE)
    return { entries, isNews: true };
  return { entries: before.entries, isNews: entries === before.entries && at - before.seenAt > DAY };
}

/** The second page shows whether the endpoint follows cursors. */
function learnCapability(
  { kind, cursor, pages }: StoredCrawl,
  itemCount: number,
  end: CrawlEnd | undefined,
): CursorSupport | undefined {
  if (cursor === null || pages !== 1 || itemCount === 0) return undefined;
  return { endpoint: getKind(kind).endpoint, cursor: end?.reason === 'cursor_ignored' ? 'ignored' : 'followed' };
}
