import { getKind, isIncremental } from '../kinds/kinds.ts';
import { countRejects } from '../normalise/pages.ts';
import { parsePage } from '../normalise/parse-page.ts';
import type { SubmittedPage } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import { checkHandle } from './account-resolution.ts';
import { checkOwner, describeRename } from './crawl-handles.ts';
import { decide, type PageOutcome, type StoredFacts } from './decide-page.ts';
import type { EngineDependencies, EngineQueries } from './engine-dependencies.ts';
import { fetchPage } from './fetch-page.ts';
import type { FetchContext } from './not-found.ts';
import type { BreakerSession } from './outage/breaker.ts';
import { createPageRequests, type FetchRecord, toRecordedParts } from './page-requests.ts';
import { readDateWindow, readParentPage } from './search/window-crawl.ts';

/** An error in place of a page, with the requests that it cost. */
export class FailedPage extends Error {
  readonly error: unknown;
  readonly record: FetchRecord;

  constructor(error: unknown, record: FetchRecord) {
    super('a page could not be crawled', { cause: error });
    this.error = error;
    this.record = record;
  }
}

/**
 * Crawls one page: fetch, parse, decide. Resolves with its commit, which is left to the caller, and the crawl after it.
 * Nothing waits here.
 * @param crawl after the page before, which may not be stored yet.
 * @throws FailedPage also without quota and during an outage
 */
export async function crawlPage(
  crawl: StoredCrawl,
  dependencies: EngineDependencies,
  { session, signal }: { readonly session: BreakerSession; readonly signal: AbortSignal },
): Promise<{ readonly crawl: StoredCrawl; readonly commit: SubmittedPage }> {
  const { governor, log, store } = dependencies;
  const requests = createPageRequests(dependencies, crawl, session, signal);
  const context: FetchContext = { crawl, requests, governor, queries: store.queries, holders: new Map() };
  try {
    const outcome = await findOutcome(context, dependencies);
    const record = requests.readRecord();
    const recorded = toRecordedParts(record);
    const { crawl: next, isStale, ...decided } = decide(crawl, outcome, countRejects(recorded));
    const { id: crawlId, kind, target, leaseToken: lease, cursor: requestCursor, pages } = crawl;
    if (isStale)
      log.warn({ crawl: crawlId, kind, target, page: pages + 1, ...decided.end }, 'the cursor was refused or is stale');
    const commit = { crawlId, lease, requestCursor, ...recorded, bodies: record.responses, ...decided };
    return { crawl: next, commit };
  } catch (error) {
    throw new FailedPage(error, requests.readRecord());
  }
}

async function findOutcome(context: FetchContext, { log }: EngineDependencies): Promise<PageOutcome> {
  const { crawl, requests, queries } = context;
  const fetched = await fetchPage(context);
  if (fetched.is !== 'response') return fetched;
  const { page, request, cursorRequest } = fetched;
  const { summary, rows } = page.is === 'staged' ? page : parsePage(page.body, request);
  checkOwner(crawl, request.value, summary.owner);
  requests.setPage(rows);
  const { at } = requests;
  // Before a look-up brings another response.
  const hashBody = getKind(crawl.kind).isCached ? requests.hashResponse() : undefined;
  const { movedTo, rename, isHandleVerified } = await checkHandle(context, summary.owner);
  // The page is true of the former account, and stored.
  if (movedTo !== undefined) return { is: 'account', id: movedTo };
  if (rename) log.warn({ crawl: crawl.id, kind: crawl.kind, ...rename }, describeRename(rename));
  const facts = await readFacts(crawl, summary.owner?.restId, queries);
  return { is: 'page', summary, request: cursorRequest, at, hashBody, isHandleVerified, facts };
}

/** Reads what a decision needs of the store. */
async function readFacts(
  crawl: StoredCrawl,
  ownerId: string | undefined,
  queries: EngineQueries,
): Promise<StoredFacts> {
  const kind = getKind(crawl.kind);
  const { options } = crawl;
  const window = readDateWindow(options);
  const list = ownerId ?? crawl.targetRestId ?? crawl.target;
  return {
    intervals: isIncremental(kind, options) ? await queries.intervals(crawl.kind, list) : [],
    capability: crawl.cursor === null || window ? await queries.cursorSupport(kind.endpoint) : undefined,
    longestPage: kind.supportedOptions.includes('window') ? await queries.largestPage(kind.endpoint) : undefined,
    parentPage: window && (await readParentPage(crawl, queries)),
  };
}
