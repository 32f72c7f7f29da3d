import { ForbiddenError, NotFoundError, ServiceError } from '#base/errors.ts';
import { HeldError } from '#crawl/gates/gates.ts';
import { type CursorRequest, isIssuedFor, toCursorRequest } from '#crawl/pagination/cursor-origin.ts';
import { readSearchFacts, buildRawQuery } from '#crawl/search/window-crawl.ts';
import type { EngineDependencies, EngineQueries } from '#crawl/slice/engine-dependencies.ts';
import { getKind, isIncremental, PROFILE_MAX_AGE } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import { countRejects, type PageSummary, type PageRequest } from '#store/normalise/parse-page.ts';
import type { SubmittedPage } from '#store/schema/commit-messages.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import {
  checkHandle,
  type HandleCheck,
  type ResolutionContext,
  fetchProfile,
  resolveHandle,
  type Finding,
  interpretRefusal,
} from './account-resolution.ts';
import { checkOwner, describeRename, isRenamed } from './crawl-handles.ts';
import { decide, type Decision, type PageOutcome, type StoredFacts } from './decide-page.ts';
import type { PageRecord } from './page-record.ts';
import { createPageRequests, type RequestSource, type FetchedPage } from './page-requests.ts';

/** An error in place of a page, also without quota and during an outage. */
export interface FailedPage {
  readonly error: unknown;
  /** What the requests cost; undefined where no page was under way. */
  readonly record: PageRecord | undefined;
}

interface PageOptions extends RequestSource {
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
 */
export async function crawlPage(
  before: StoredCrawl,
  dependencies: EngineDependencies,
  options: PageOptions,
): Promise<CrawledPage | FailedPage> {
  const { log, store } = dependencies;
  const requests = createPageRequests(dependencies, before, options);
  const checkpoint = { ...before.checkpoint, requestsAtOnce: undefined, heldEndpoint: undefined };
  const crawl = { ...before, checkpoint };
  const context: ResolutionContext = { crawl, requests, queries: store.queries, holders: new Map() };
  try {
    const outcome = await findCheckedOutcome(context, dependencies);
    let decision = decide(crawl, outcome, countRejects(requests.record.read()));
    const isListEnd = outcome.is === 'page' && decision.end?.ending === 'served';
    if (isListEnd && (await requestOwnerCount(context, decision, outcome.summary, options.storePages)))
      decision = decide(crawl, outcome, countRejects(requests.record.read()));
    const { crawl: next, isStale, retry, ...decided } = decision;
    const { id: crawlId, kind, target, leaseToken: lease, cursor: requestCursor, pages } = crawl;
    if (isStale)
      log.warn({ crawl: crawlId, kind, target, page: pages + 1, ...decided.end }, 'the cursor was refused or is stale');
    return { crawl: next, commit: { crawlId, lease, requestCursor, ...requests.record.read(), ...decided }, retry };
  } catch (error) {
    return { error, record: requests.record.read() };
  } finally {
    requests.close();
  }
}

/** Before a 403 or a 404 ends the crawl, a control request may have to show that it is about the target. */
async function findCheckedOutcome(context: ResolutionContext, dependencies: EngineDependencies): Promise<PageOutcome> {
  const { requests } = context;
  try {
    const outcome = await findOutcome(context, dependencies);
    if (outcome.is === 'gone') await requests.checkRefusal();
    return outcome;
  } catch (error) {
    if (error instanceof ForbiddenError || error instanceof NotFoundError) await requests.checkRefusal();
    throw error;
  }
}

async function findOutcome(context: ResolutionContext, { log }: EngineDependencies): Promise<PageOutcome> {
  const { crawl, requests, queries } = context;
  const fetched = await fetchPage(context);
  if (fetched.is !== 'response') return fetched;
  const { page, request, cursorRequest } = fetched;
  const { summary, rows } = page;
  checkOwner(crawl, request.value, summary.owner);
  requests.record.setPage(rows);
  const { at } = requests.record;
  // Before a look-up brings another response.
  const hashBody = getKind(crawl.kind).isCached ? requests.record.hashResponse() : undefined;
  const { movedTo, rename, isHandleVerified }: HandleCheck = isRenamed(crawl, summary.owner)
    ? await checkHandle(context, summary.owner!)
    : crawl.checkpoint;
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
  const search = kind.supportedOptions.includes('window') ? await readSearchFacts(crawl, queries) : undefined;
  const list = owner?.restId ?? crawl.targetRestId ?? crawl.target;
  return {
    intervals: isIncremental(kind, options) ? await queries.intervals(crawl.kind, list) : [],
    capability:
      crawl.cursor === null || search?.window || hints.length > 0
        ? await queries.cursorSupport(kind.endpoint)
        : undefined,
    findings: hints.length > 0 || incomplete !== undefined ? await queries.endpointFindings(kind.endpoint) : [],
    search,
  };
}

/** A page that was fetched, with the request that it answers. */
export interface PageResponse {
  readonly is: 'response';
  readonly page: FetchedPage;
  readonly request: PageRequest;
  readonly cursorRequest: CursorRequest;
}

/**
 * Fetches the next page of a crawl. Where the target is a handle that the store does not know, looks that up instead.
 * @throws HeldError or ServiceError
 */
async function fetchPage(context: ResolutionContext): Promise<PageResponse | Finding> {
  const { crawl, requests, queries } = context;
  const { checkpoint } = crawl;
  const kind = getKind(crawl.kind);
  const requestValue = await requestValueOf(crawl, queries);
  if (requestValue === undefined) return { is: 'account', ...(await resolveHandle(context)) };
  if (kind.isSkippedIfFresh && (await hasFreshProfile(context))) return { is: 'seen_lately' };
  const request = { endpoint: kind.endpoint, value: requestValue };
  const cursorRequest = toCursorRequest(request);
  if (checkpoint.cursorOrigin && !isIssuedFor(checkpoint.cursorOrigin, cursorRequest))
    return { is: 'account', id: requestValue };

  try {
    const page: FetchedPage =
      kind.idForm === 'handle'
        ? await fetchProfile(context)
        : await requests.sendForPage(request, checkpoint.isRepeatedPage);
    return { is: 'response', page, request, cursorRequest };
  } catch (error) {
    return await interpretRefusal(error, requestValue, context);
  }
}

/** The value that the target has in a request; undefined when the handle has to be looked up first. */
async function requestValueOf(crawl: StoredCrawl, queries: EngineQueries): Promise<string | undefined> {
  const kind = getKind(crawl.kind);
  if (kind.targetType === 'query') return buildRawQuery(crawl);
  if (kind.idForm !== 'id') return crawl.target;
  const account = parseAccount(crawl.target);
  if ('id' in account) return account.id;
  return crawl.targetRestId ?? (await queries.userByHandle(account.handle))?.restId;
}

/** Invariant 9: a snowball does not fetch a profile again that was seen lately. A profile that a user names is fetched. */
async function hasFreshProfile({ crawl, requests, queries }: ResolutionContext): Promise<boolean> {
  if (crawl.parentId === null || crawl.options.isRecheck) return false;
  const account = parseAccount(crawl.target);
  const seenAt = 'id' in account ? (await queries.userById(account.id))?.profileAt : undefined;
  return seenAt != null && requests.record.at - seenAt <= PROFILE_MAX_AGE && requests.record.at - seenAt >= 0;
}

/**
 * Requests the profile of the owner of a list of followers or followed accounts that the service ended, where the list can
 * only be judged by the owner's count (invariant 7). Without an answer, the count stays unknown.
 * @param storePages resolves when the earlier pages of the crawl are stored
 * @returns whether a profile was requested
 */
async function requestOwnerCount(
  { crawl, requests, queries }: ResolutionContext,
  { end, crawl: { targetRestId: id } }: Pick<Decision, 'end' | 'crawl'>,
  { itemIds, owner }: PageSummary,
  storePages: () => Promise<unknown>,
): Promise<boolean> {
  const { edgeSide: side } = getKind(crawl.kind);
  if (side === undefined || id === null || end?.state !== 'complete' || end.ending !== 'served') return false;
  await storePages();
  const startedAt = crawl.startedAt ?? requests.record.at;
  if (!(await queries.needsOwnerCount({ side, owner: id, startedAt }, itemIds))) return false;
  const value = owner?.screenName ?? (await queries.userById(id))?.screenName;
  if (value == null) return false;
  try {
    requests.record.addLookup((await requests.send({ endpoint: 'user-profile', value }, startedAt)).rows);
  } catch (error) {
    // The list is whole without the count.
    if (!(error instanceof ServiceError || error instanceof HeldError)) throw error;
  }
  return true;
}
