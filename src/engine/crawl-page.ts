import { ForbiddenError, NotFoundError } from '../errors.ts';
import { isGoneEnd } from '../kinds/end-states.ts';
import { getKind, isIncremental } from '../kinds/kinds.ts';
import { countRejects } from '../normalise/pages.ts';
import { type PageSummary, parsePage } from '../normalise/parse-page.ts';
import type { SubmittedPage } from '../store/schema/messages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import { checkHandle } from './account-resolution.ts';
import { checkOwner, describeRename } from './crawl-handles.ts';
import { decide, type Decision, type PageOutcome, type StoredFacts } from './decide-page.ts';
import type { EngineDependencies, EngineQueries } from './engine-dependencies.ts';
import { fetchPage } from './fetch-page.ts';
import type { FetchContext } from './not-found.ts';
import type { BreakerSession } from './outage/breaker.ts';
import { requestOwnerCount } from './owner-count.ts';
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

interface PageOptions {
  readonly session: BreakerSession;
  readonly signal: AbortSignal;
  /** Resolves when the earlier pages of the crawl are stored. */
  readonly storePages: () => Promise<unknown>;
}

/** A page to commit, and the crawl after it. With `retry`, the same page is requested once more. */
interface CrawledPage {
  readonly crawl: StoredCrawl;
  readonly commit: SubmittedPage;
  readonly retry: Decision['retry'];
}

/**
 * Crawls one page: fetch, parse, decide. Resolves with its commit, which is left to the caller, and the crawl after it.
 * Nothing waits here.
 * @param before the crawl after the page before, which may not be stored yet.
 * @throws FailedPage also without quota and during an outage
 */
export async function crawlPage(
  before: StoredCrawl,
  dependencies: EngineDependencies,
  { session, signal, storePages }: PageOptions,
): Promise<CrawledPage> {
  const { governor, log, store } = dependencies;
  const requests = createPageRequests(dependencies, before, session, signal);
  const crawl = { ...before, checkpoint: { ...before.checkpoint, requestsAtOnce: undefined } };
  const context: FetchContext = { crawl, requests, governor, queries: store.queries, holders: new Map() };
  try {
    const outcome = await findCheckedOutcome(context, dependencies);
    const decideNow = () => decide(crawl, outcome, countRejects(toRecordedParts(requests.readRecord())));
    const first = decideNow();
    const hasCounted = outcome.is === 'page' && (await requestOwnerCount(context, first, outcome.summary, storePages));
    const { crawl: next, isStale, retry, ...decided } = hasCounted ? decideNow() : first;
    const record = requests.readRecord();
    const recorded = toRecordedParts(record);
    const { id: crawlId, kind, target, leaseToken: lease, cursor: requestCursor, pages } = crawl;
    if (isStale)
      log.warn({ crawl: crawlId, kind, target, page: pages + 1, ...decided.end }, 'the cursor was refused or is stale');
    const commit = { crawlId, lease, requestCursor, ...recorded, bodies: record.responses, ...decided };
    return { crawl: next, commit, retry };
  } catch (error) {
    throw new FailedPage(error, requests.readRecord());
  } finally {
    requests.close();
  }
}

/** Before a 403 or a 404 ends the crawl, a control request may have to show that it is about the target. */
async function findCheckedOutcome(context: FetchContext, dependencies: EngineDependencies): Promise<PageOutcome> {
  const { requests, governor } = context;
  try {
    const outcome = await findOutcome(context, dependencies);
    if (outcome.is === 'ended' && isGoneEnd(outcome.end)) await requests.checkRefusal();
    return outcome;
  } catch (error) {
    if (!(error instanceof ForbiddenError || error instanceof NotFoundError)) throw error;
    const quota = await governor.explainAsQuotaError(error, requests.signal);
    if (quota) throw quota;
    await requests.checkRefusal();
    throw error;
  }
}

async function findOutcome(context: FetchContext, { log }: EngineDependencies): Promise<PageOutcome> {
  const { crawl, requests, queries } = context;
  const fetched = await fetchPage(context);
  if (fetched.is !== 'response') return fetched;
  const { page, request, cursorRequest } = fetched;
  const { summary, rows } = page.is === 'staged' ? page : parsePage(page.body, request, page.head);
  checkOwner(crawl, request.value, summary.owner);
  requests.setPage(rows);
  const { at } = requests;
  // Before a look-up brings another response.
  const hashBody = getKind(crawl.kind).isCached ? requests.hashResponse() : undefined;
  const { movedTo, rename, isHandleVerified } = await checkHandle(context, summary.owner);
  // The page is true of the former account, and stored.
  if (movedTo !== undefined) return { is: 'account', id: movedTo };
  if (rename) log.warn({ crawl: crawl.id, kind: crawl.kind, ...rename }, describeRename(rename));
  const facts = await readFacts(crawl, summary, queries);
  return { is: 'page', summary, request: cursorRequest, at, hashBody, isHandleVerified, facts };
}

/** Reads what a decision needs of the store. */
async function readFacts(
  crawl: StoredCrawl,
  { owner, hints, incomplete }: PageSummary,
  queries: EngineQueries,
): Promise<StoredFacts> {
  const kind = getKind(crawl.kind);
  const { options } = crawl;
  const window = readDateWindow(options);
  const list = owner?.restId ?? crawl.targetRestId ?? crawl.target;
  return {
    intervals: isIncremental(kind, options) ? await queries.intervals(crawl.kind, list) : [],
    capability:
      crawl.cursor === null || window || hints.length > 0 ? await queries.cursorSupport(kind.endpoint) : undefined,
    longestPage: kind.supportedOptions.includes('window') ? await queries.largestPage(kind.endpoint) : undefined,
    findings: hints.length > 0 || incomplete !== undefined ? await queries.endpointFindings(kind.endpoint) : [],
    parentPage: window && (await readParentPage(crawl, queries)),
  };
}
