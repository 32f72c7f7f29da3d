import { countRejects } from '../normalise/pages.ts';
import { checkHandle } from './account-resolution.ts';
import type { UnpackedCommit } from './commit-pipeline.ts';
import { describeRename } from './crawl-handles.ts';
import type { CrawlState } from './crawl-state.ts';
import { decide, NO_FACTS, type PageOutcome, type StoredFacts } from './decide-page.ts';
import type { EngineDependencies, EngineQueries } from './engine-dependencies.ts';
import type { FetchContext } from './failures/not-found.ts';
import { fetchPage } from './fetch-page.ts';
import type { BreakerSession } from './outage/breaker.ts';
import { createPageRequests, type FetchRecord, toRecordedParts } from './page-requests.ts';
import { parsePage } from './parse-page.ts';
import { readDateWindow, readParentPage } from './search/window-crawl.ts';

/** A page to commit, and the state after it. */
export interface CrawledPage {
  readonly state: CrawlState;
  readonly commit: UnpackedCommit;
}

/** An error in place of a page, with the requests that it cost; undefined where all requests are on record. */
export interface FailedPage {
  readonly error: unknown;
  readonly record: FetchRecord | undefined;
}

/**
 * Crawls one page: fetch, parse, decide. Its commit is left to the caller. Nothing waits here: without quota, during an
 * outage and after a failed request, the result is an error.
 * @param state after the page before, which may not be stored yet.
 */
export async function crawlPage(
  state: CrawlState,
  dependencies: EngineDependencies,
  { session, signal }: { readonly session: BreakerSession; readonly signal: AbortSignal },
): Promise<CrawledPage | FailedPage> {
  const { governor, log, store } = dependencies;
  const requests = createPageRequests(dependencies, state.crawl, session, signal);
  const context: FetchContext = { state, requests, governor, queries: store.queries, holders: new Map() };
  try {
    const outcome = await findOutcome(context, dependencies);
    const record = requests.readRecord();
    const facts = await readFacts(state, outcome, store.queries);
    const rejectedCount = countRejects(toRecordedParts(record));
    const { state: next, isStale, ...parts } = decide(state, outcome, rejectedCount, facts);
    const { id: crawlId, kind, target, leaseToken: lease, cursor: requestCursor, pages } = state.crawl;
    if (isStale)
      log.warn({ crawl: crawlId, kind, target, page: pages + 1, ...parts.end }, 'the cursor was refused or is stale');
    return {
      state: next,
      commit: {
        ...{ crawlId, lease, requestCursor, ...toRecordedParts(record), bodies: record.responses },
        ...parts,
      },
    };
  } catch (error) {
    return { error, record: requests.readRecord() };
  }
}

async function findOutcome(context: FetchContext, { log }: EngineDependencies): Promise<PageOutcome> {
  const { state, requests } = context;
  const fetched = await fetchPage(context);
  if (fetched.is !== 'body') return fetched;
  const { summary, rows } = parsePage(state, fetched);
  requests.setPage(rows);
  const { at } = requests;
  // Before a look-up brings another response.
  const hashBody = state.kind.isCached ? requests.hashResponse() : undefined;
  const { movedTo, rename, isHandleVerified } = await checkHandle(context, summary.owner);
  // The page is true of the former account, and stored.
  if (movedTo !== undefined) return { is: 'account', id: movedTo };
  const { id: crawl, kind } = state.crawl;
  if (rename) log.warn({ crawl, kind, ...rename }, describeRename(rename));
  return { is: 'page', summary, request: fetched.request, at, hashBody, isHandleVerified };
}

/** Reads what a decision needs of the store. */
async function readFacts({ crawl, kind }: CrawlState, page: PageOutcome, queries: EngineQueries): Promise<StoredFacts> {
  if (page.is !== 'page') return NO_FACTS;
  const { options } = crawl;
  const window = readDateWindow(options);
  // A snowball reads the whole list: it is for the accounts on the pages.
  const isIncremental = kind.isNewestFirst && !options.full && !options.andThen;
  const list = page.summary.owner?.restId ?? crawl.targetRestId ?? crawl.target;
  return {
    intervals: isIncremental ? await queries.intervals(crawl.kind, list) : [],
    capability: crawl.cursor === null || window ? await queries.cursorSupport(kind.endpoint) : undefined,
    longestPage: kind.supportedOptions.includes('window') ? await queries.largestPage(kind.endpoint) : undefined,
    parentPage: window && (await readParentPage(crawl, queries)),
  };
}
