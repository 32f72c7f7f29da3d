import { DAY } from '#base/clock.ts';
import { ContractError, NotFoundError, ServiceError, TransientError, BadRequestError } from '#base/errors.ts';
import { foldHandle } from '#base/text.ts';
import { HeldError } from '#crawl/gates/gates.ts';
import type { EngineQueries } from '#crawl/slice/engine-dependencies.ts';
import { ACCOUNT_KINDS } from '#service/kinds/crawl-spec.ts';
import { GONE_ENDS } from '#service/kinds/decide-end.ts';
import { getKind } from '#service/kinds/kinds.ts';
import { parseAccount } from '#service/kinds/target.ts';
import type { PageSummary, ParsedPage } from '#store/normalise/parse-page.ts';
import type { StoredCrawl } from '#store/schema/query-results.ts';
import {
  type AccountRename,
  isBoundToId,
  isResolvedByHandle,
  requestedHandle,
  wrongOwnerError,
} from './crawl-handles.ts';
import type { PageRequests } from './page-requests.ts';

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

/** A profile, or the 404 in its place. */
type FoundProfile = ParsedPage | NotFoundError;

const isMissing = (found: FoundProfile | undefined): found is NotFoundError => found instanceof NotFoundError;

const requestProfile = (value: string) => ({ endpoint: 'user-profile', value }) as const;

/** The profile of a handle; the last 404 when the service knows none of the spellings. */
async function findByHandle(
  [spelling = '', ...others]: readonly string[],
  context: ResolutionContext,
): Promise<FoundProfile> {
  const found = await context.requests.find(requestProfile(spelling));
  context.holders.set(foldHandle(spelling), isMissing(found) ? undefined : found.summary.owner?.restId);
  return isMissing(found) && others.length > 0 ? await findByHandle(others, context) : found;
}

/**
 * The profile of a crawl's account. Where nobody has its handle, the profile of the account that had it, as far as the
 * store knows: it was renamed. @throws NotFoundError
 */
export async function fetchProfile(context: ResolutionContext): Promise<ParsedPage> {
  const account = parseAccount(context.crawl.target);
  if ('id' in account) return presentOf(await findById(account.id, context));
  const spellings = await findSpellings(context);
  const found = await findByHandle(spellings, context);
  if (!isMissing(found)) return found;
  const renamed = await findById(await findEarlierHolder(found, context), context, spellings);
  return presentOf(isMissing(renamed) ? found : renamed);
}

function presentOf(found: FoundProfile): ParsedPage {
  if (isMissing(found)) throw found;
  return found;
}

/**
 * The id of the account of a crawl of a handle. Where nobody has the handle, the account that had it (`isHandleUnused`): its
 * pages show its present handle, if it exists. @throws NotFoundError
 */
export async function resolveHandle(
  context: ResolutionContext,
): Promise<{ readonly id: string; readonly isHandleUnused: boolean }> {
  const found = await findByHandle(await findSpellings(context), context);
  if (isMissing(found)) return { id: await findEarlierHolder(found, context), isHandleUnused: true };
  return { id: recordProfile(found, requestedHandle(context.crawl)!, context), isHandleUnused: false };
}

/** The account that had a handle which nobody has now. @throws the 404 if the store knows none */
async function findEarlierHolder(missing: NotFoundError, { crawl, queries }: ResolutionContext): Promise<string> {
  const handle = requestedHandle(crawl)!;
  const earlier =
    crawl.targetRestId ??
    (await queries.userByHandle(handle))?.restId ??
    (await queries.previousHandleOwner(crawl.target, handle, ACCOUNT_KINDS));
  if (earlier === undefined) throw missing;
  return earlier;
}

/**
 * The profile of an id. Where the stored handle is gone or another account's, the account's followers page shows the present
 * one. @param tried spellings that nobody has.
 */
async function findById(id: string, context: ResolutionContext, tried: readonly string[] = []): Promise<FoundProfile> {
  const { requests, queries } = context;
  const stored = (await queries.userById(id))?.screenName;
  if (stored != null && !tried.includes(stored)) {
    const found = await findByHandle([stored], context);
    if (!isMissing(found)) {
      if (found.summary.owner?.restId === id) return found;
      requests.record.addLookup(found.rows);
    }
  }
  const page = await requests.find({ endpoint: 'followers', value: id });
  if (isMissing(page)) return explainNotFound(page);
  const { owner } = page.summary;
  if (owner && owner.restId !== id) throw wrongOwnerError('followers', id, owner.restId);
  requests.record.addLookup(page.rows);
  if (owner?.screenName) return await fetchByPresentHandle(id, owner.screenName, requests);
  throw new ContractError(`followers: the answer does not say the handle of user ${id}`);
}

/** The profile of a handle that was just seen. @throws TransientError if the account no longer has it. */
async function fetchByPresentHandle(id: string, handle: string, requests: PageRequests): Promise<ParsedPage> {
  const page = await requests.find(requestProfile(handle));
  if (isMissing(page)) {
    await requests.checkRefusal(true);
    throw new TransientError(`user-profile: the handle of user ${id} has just changed`);
  }
  const { owner } = page.summary;
  if (owner === undefined || owner.restId === id) return page;
  requests.record.addLookup(page.rows);
  throw new TransientError(`user-profile: the handle of user ${id} has just gone to user ${owner.restId}`);
}

/** Adds to a 404 of followers that it was requested for a handle. */
function explainNotFound(error: NotFoundError): NotFoundError {
  const { message, status, body, sent, ms, hint } = error;
  const why = `of an id, followers is asked for the handle: ${message}`;
  return new NotFoundError(why, { status, body, sent, ms, hint, cause: error });
}

/** Fetches and records the profile of a crawl's account, and returns its id. @throws NotFoundError */
async function confirmAccount(context: ResolutionContext): Promise<string> {
  return recordProfile(await fetchProfile(context), context.crawl.target, context);
}

function recordProfile(page: ParsedPage, account: string, { requests }: ResolutionContext): string {
  requests.record.addLookup(page.rows);
  const { owner } = page.summary;
  if (owner) return owner.restId;
  const [reject] = page.rows.rejects;
  const why = reject ? `cannot be stored: ${reject.path} ${reject.reason}` : 'has no usable id';
  throw new ContractError(`user-profile: the profile of ${account} ${why}`);
}

/** The account that has the requested handle; undefined when nobody has it. A handle is looked up once per page. */
async function findHandleHolder(context: ResolutionContext): Promise<string | undefined> {
  const named = requestedHandle(context.crawl)!;
  if (context.holders.has(named)) return context.holders.get(named);
  const found = await findByHandle(await findSpellings(context), context);
  return isMissing(found) ? undefined : recordProfile(found, named, context);
}

/** Who has the handle of a crawl, after a page. */
export interface HandleCheck {
  /** The crawl is about this account instead: it has the handle now. */
  readonly movedTo?: string | undefined;
  readonly rename?: AccountRename | undefined;
  /** The handle was looked up in this crawl. */
  readonly isHandleVerified: boolean;
}

/** Looks up the handle of a crawl whose page shows its user under another one. */
export async function checkHandle(
  context: ResolutionContext,
  { restId: id, screenName }: NonNullable<PageSummary['owner']>,
): Promise<HandleCheck> {
  const { crawl } = context;
  const { checkpoint } = crawl;
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

/** What fetching shows without a page. */
export type Finding =
  /** The crawl is about this account, from its first page on. `isHandleUnused`: nobody has the requested handle. */
  | { readonly is: 'account'; readonly id: string; readonly isHandleUnused?: boolean }
  /** The service refused the cursor. */
  | { readonly is: 'cursor_refused' }
  /** The store has a recent profile, and nothing was requested. */
  | { readonly is: 'seen_lately' }
  /** The account exists, and a 404 says that it has no tweets. */
  | { readonly is: 'no_tweets'; readonly id: string }
  /** A re-check found that the service does not have the target. */
  | { readonly is: 'gone' };

/**
 * What a 404 or a 400 in place of a page shows of the crawl. For a re-check, a 404 says that the target is gone (invariant 7).
 * @throws the error if it shows nothing
 */
export async function interpretRefusal(
  error: unknown,
  requestValue: string,
  context: ResolutionContext,
): Promise<Finding> {
  const { kind, options } = context.crawl;
  try {
    return await findCause(error, requestValue, context);
  } catch (cause) {
    const isGone = options.isRecheck && cause instanceof NotFoundError && getKind(kind).targetType in GONE_ENDS;
    if (!isGone) throw cause;
    return { is: 'gone' };
  }
}

async function findCause(error: unknown, requestValue: string, context: ResolutionContext): Promise<Finding> {
  const { crawl } = context;
  const { checkpoint } = crawl;
  const isMissing = error instanceof NotFoundError;
  if (crawl.cursor !== null) {
    if (isMissing || error instanceof BadRequestError) return { is: 'cursor_refused' };
  } else if (isMissing && getKind(crawl.kind).mayBeEmpty) return await findEmptyOrMissing(requestValue, context);
  // The account that had the handle is gone; another one may have it.
  if (isMissing && crawl.cursor === null && isResolvedByHandle(crawl) && !checkpoint.isHandleVerified) {
    const holder = await findHandleHolder(context);
    if (holder !== undefined && holder !== requestValue) return { is: 'account', id: holder };
  }
  throw error;
}

/** A 404 on a timeline: "does not exist or has no tweets" (spec, Errors). The profile shows which; one of today will do. */
async function findEmptyOrMissing(id: string, context: ResolutionContext): Promise<Finding> {
  const { requests, queries } = context;
  const { kind, checkpoint } = context.crawl;
  const { profileAt, summaryAt } = (await queries.userById(id)) ?? {};
  const seenAt = Math.max(profileAt ?? 0, summaryAt ?? 0);
  // A list that had items, or is expected to have some: the account may be gone since.
  const isOld = async (): Promise<boolean> =>
    requests.record.at - seenAt > DAY ||
    (await queries.intervals(kind, id)).length > 0 ||
    (await queries.expectsTweets(kind, id));
  if (checkpoint.refusedCursors || checkpoint.isHandleUnused || (!checkpoint.isHandleVerified && (await isOld()))) {
    const holder = await confirmAccount(context);
    // Another account has the handle now.
    if (holder !== id) return { is: 'account', id: holder };
  }
  return { is: 'no_tweets', id };
}
