import { readPage } from '../contract/pages.ts';
import { ContractError, NotFoundError, ServiceError, TransientError } from '../errors.ts';
import { ACCOUNT_KINDS } from '../kinds/crawl-spec.ts';
import { getKind } from '../kinds/kinds.ts';
import { parseAccount } from '../kinds/target.ts';
import { type NormalisedPage, normaliseFollowersPage, normaliseProfilePage } from '../normalise/pages.ts';
import type { StoredCrawl } from '../store/schema/query-results.ts';
import { foldHandle } from '../text.ts';
import {
  type AccountRename,
  isBoundToId,
  isRenamed,
  isResolvedByHandle,
  requestedHandle,
  wrongOwnerError,
} from './crawl-handles.ts';
import type { EngineQueries } from './engine-dependencies.ts';
import { HeldError } from './gates.ts';
import type { PageRequests } from './page-requests.ts';
import { buildRawQuery } from './search/window-crawl.ts';

/**
 * The requests that find out which account a crawl is about. A handle is looked up once and remembered as an id; a page
 * that shows its user under another handle calls for another look-up.
 */
export interface ResolutionContext {
  readonly crawl: StoredCrawl;
  readonly requests: PageRequests;
  readonly queries: EngineQueries;
  /** The accounts of the handles that were looked up for this page, by folded handle; undefined if nobody has it. */
  readonly holders: Map<string, string | undefined>;
}

/** The value that the target has in a request; undefined when the handle has to be looked up first. */
export async function requestValueOf(crawl: StoredCrawl, queries: EngineQueries): Promise<string | undefined> {
  const kind = getKind(crawl.kind);
  if (kind.targetType === 'query') return buildRawQuery(crawl);
  if (kind.idForm !== 'id') return crawl.target;
  const account = parseAccount(crawl.target);
  if ('id' in account) return account.id;
  return crawl.targetRestId ?? (await queries.userByHandle(account.handle))?.restId;
}

/**
 * The spellings to request a handle with: the latest one that the store has, then the one that was typed. A service may be
 * case-sensitive, and an account may have changed the case.
 */
async function findSpellings({ crawl, queries }: ResolutionContext): Promise<string[]> {
  const handle = requestedHandle(crawl)!;
  const known = (await queries.userByHandle(handle))?.screenName ?? (await queries.earlierSpelling(handle));
  const typed = crawl.handle ?? handle;
  return known === undefined || known === typed ? [typed] : [known, typed];
}

/** The body of user-profile for a handle. @throws NotFoundError when the service knows none of the spellings. */
async function fetchByHandle(
  [spelling = '', ...others]: readonly string[],
  context: ResolutionContext,
): Promise<unknown> {
  const { requests, holders } = context;
  try {
    const body = await requests.send('user-profile', { screenName: spelling });
    holders.set(foldHandle(spelling), parseProfile(body, spelling).owner?.restId);
    return body;
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    holders.set(foldHandle(spelling), undefined);
    if (others.length === 0) throw error;
    return await fetchByHandle(others, context);
  }
}

/**
 * The body of user-profile for a crawl's account. Where nobody has its handle, the profile of the account that had it, as
 * far as the store knows: it was renamed. @throws NotFoundError
 */
export async function fetchProfile(context: ResolutionContext): Promise<unknown> {
  const account = parseAccount(context.crawl.target);
  if ('id' in account) return await fetchById(account.id, context);
  const spellings = await findSpellings(context);
  try {
    return await fetchByHandle(spellings, context);
  } catch (error) {
    const earlier = await findEarlierHolder(error, context);
    return await fetchById(earlier, context, spellings).catch((other: unknown) => {
      throw other instanceof NotFoundError ? error : other;
    });
  }
}

/**
 * The id of the account of a crawl of a handle. Where nobody has the handle, the account that had it (`isHandleUnused`): its
 * pages show its present handle, if it exists. @throws NotFoundError
 */
export async function resolveHandle(
  context: ResolutionContext,
): Promise<{ readonly id: string; readonly isHandleUnused: boolean }> {
  try {
    return { id: await fetchHolder(context), isHandleUnused: false };
  } catch (error) {
    return { id: await findEarlierHolder(error, context), isHandleUnused: true };
  }
}

/** The account that has the requested handle. @throws NotFoundError */
async function fetchHolder(context: ResolutionContext): Promise<string> {
  const body = await fetchByHandle(await findSpellings(context), context);
  return recordProfile(body, requestedHandle(context.crawl)!, context);
}

/** The account that had a handle which nobody has now, as far as the store knows. @throws any error but NotFoundError */
async function findEarlierHolder(error: unknown, { crawl, queries }: ResolutionContext): Promise<string> {
  const handle = requestedHandle(crawl)!;
  if (!(error instanceof NotFoundError)) throw error;
  const earlier =
    crawl.targetRestId ??
    (await queries.userByHandle(handle))?.restId ??
    (await queries.previousHandleOwner(crawl.target, handle, ACCOUNT_KINDS));
  if (earlier === undefined) throw error;
  return earlier;
}

/**
 * The body of user-profile for an id. Where the stored handle is gone or another account's, the account's followers page
 * shows the present one. @param tried spellings that nobody has.
 */
async function fetchById(id: string, context: ResolutionContext, tried: readonly string[] = []): Promise<unknown> {
  const { requests, queries } = context;
  const stored = (await queries.userById(id))?.screenName;
  if (stored != null && !tried.includes(stored)) {
    const body = await fetchByHandle([stored], context).catch(ignoreNotFound);
    const page = body === undefined ? undefined : parseProfile(body, stored);
    if (page?.owner?.restId === id) return body;
    if (page) requests.addLookup(page.rows);
  }
  const body = await requests.send('followers', { restId: id }).catch(explainNotFound);
  const page = normaliseFollowersPage(readPage('followers', body), id);
  if (page.owner && page.owner.restId !== id) throw wrongOwnerError('followers', id, page.owner.restId);
  requests.addLookup(page.rows);
  const handle = page.owner?.screenName;
  if (handle) return await fetchByPresentHandle(id, handle, requests);
  throw new ContractError(`followers: the answer does not say the handle of user ${id}`);
}

/** The body of user-profile for a handle that was just seen. @throws TransientError if the account no longer has it. */
async function fetchByPresentHandle(id: string, handle: string, requests: PageRequests): Promise<unknown> {
  const body = await requests.send('user-profile', { screenName: handle }).catch(ignoreNotFound);
  if (body === undefined) {
    await requests.checkRefusal(true);
    throw new TransientError(`user-profile: the handle of user ${id} has just changed`);
  }
  const page = parseProfile(body, handle);
  if (page.owner === undefined || page.owner.restId === id) return body;
  requests.addLookup(page.rows);
  throw new TransientError(`user-profile: the handle of user ${id} has just gone to user ${page.owner.restId}`);
}

/** Adds to a 404 of followers that it was requested for a handle. */
function explainNotFound(error: unknown): never {
  if (!(error instanceof NotFoundError)) throw error;
  const { message, status, body, sent, ms, hint } = error;
  const why = `of an id, followers is asked for the handle: ${message}`;
  throw new NotFoundError(why, { status, body, sent, ms, hint, cause: error });
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof NotFoundError)) throw error;
}

const parseProfile = (body: unknown, handle: string): NormalisedPage =>
  normaliseProfilePage(readPage('user-profile', body), handle);

/** Fetches and records the profile of a crawl's account, and returns its id. @throws NotFoundError */
export async function confirmAccount(context: ResolutionContext): Promise<string> {
  return recordProfile(await fetchProfile(context), context.crawl.target, context);
}

function recordProfile(body: unknown, account: string, { requests }: ResolutionContext): string {
  const page = parseProfile(body, account);
  requests.addLookup(page.rows);
  if (page.owner) return page.owner.restId;
  const [reject] = page.rows.rejects;
  const why = reject ? `cannot be stored: ${reject.path} ${reject.reason}` : 'has no usable id';
  throw new ContractError(`user-profile: the profile of ${account} ${why}`);
}

/** The account that has the requested handle; undefined when nobody has it. A handle is looked up once per page. */
export async function findHandleHolder(context: ResolutionContext): Promise<string | undefined> {
  const named = requestedHandle(context.crawl)!;
  return context.holders.has(named) ? context.holders.get(named) : await fetchHolder(context).catch(ignoreNotFound);
}

/** Who has the handle of a crawl, after a page. */
export interface HandleCheck {
  /** The crawl is about this account instead: it has the handle now. */
  readonly movedTo?: string | undefined;
  readonly rename?: AccountRename | undefined;
  /** The handle was looked up in this crawl. */
  readonly isHandleVerified: boolean;
}

/** Looks up the handle of a crawl if a page shows its user under another one. */
export async function checkHandle(context: ResolutionContext, owner: NormalisedPage['owner']): Promise<HandleCheck> {
  const { crawl } = context;
  const { checkpoint } = crawl;
  if (!isRenamed(crawl, owner)) return { isHandleVerified: checkpoint.isHandleVerified };
  const { restId: id, screenName } = owner!;
  const isBound = isBoundToId(crawl);
  // A command crawls the members of a panel in the same way, mostly without a run.
  const isOfJob = isBound && crawl.runId !== null;
  const describe = (holder: string | undefined): AccountRename => {
    const handle = crawl.handle ?? requestedHandle(crawl)!;
    return { handle, id, shown: screenName!, holder, by: isOfJob ? 'the job' : 'the crawl' };
  };
  if (checkpoint.isHandleVerified) {
    const isFirstPage = checkpoint.isHandleUnused && crawl.pages === 0;
    return { isHandleVerified: true, rename: isFirstPage ? describe(undefined) : undefined };
  }
  const search = findHandleHolder(context);
  const holder = isBound ? await search.catch(ignoreServiceError) : await search;
  if (isResolvedByHandle(crawl) && holder !== undefined && holder !== id)
    return { movedTo: holder, isHandleVerified: true };
  return { isHandleVerified: true, rename: describe(holder) };
}

/** For a bound crawl, the holder of the handle is only information. Without quota or key, nothing goes on. */
function ignoreServiceError(error: unknown): undefined {
  const isIgnored = error instanceof HeldError ? error.cause instanceof TransientError : error instanceof ServiceError;
  if (!isIgnored) throw error;
}
