import { DAY } from '../clock.ts';
import { BadRequestError, NotFoundError } from '../errors.ts';
import { type CrawlEnd, NO_TWEETS, SEEN_LATELY, TWEET_DELETED } from '../kinds/end-states.ts';
import { getKind, PROFILE_MAX_AGE } from '../kinds/kinds.ts';
import { parseAccount } from '../kinds/target.ts';
import type { Governor } from '../quota/governor.ts';
import {
  confirmAccount,
  fetchProfile,
  findHandleHolder,
  requestValueOf,
  type ResolutionContext,
  resolveHandle,
} from './account-resolution.ts';
import { isResolvedByHandle } from './crawl-handles.ts';
import { type CursorRequest, isIssuedFor, toCursorRequest } from './pagination/cursor-origin.ts';

/** The body of a page, with the request that it answers. */
export interface FetchedBody {
  readonly is: 'body';
  readonly body: unknown;
  readonly requestValue: string;
  readonly request: CursorRequest;
}

/** What fetching shows without a page. */
export type Finding =
  /** The crawl is about this account, from its first page on. `isHandleUnused`: nobody has the requested handle. */
  | { readonly is: 'account'; readonly id: string; readonly isHandleUnused?: boolean }
  /** The service refused the cursor. */
  | { readonly is: 'cursor_refused' }
  /** The crawl has ended; `pages` counts the response. */
  | { readonly is: 'ended'; readonly end: CrawlEnd; readonly pages: 0 | 1 };

export interface FetchContext extends ResolutionContext {
  readonly governor: Governor;
}

/**
 * Fetches the next page of a crawl. Where the target is a handle that the store does not know, looks that up instead.
 * @throws PausedError, OutageError, BudgetSpentError or ServiceError
 */
export async function fetchPage(context: FetchContext): Promise<FetchedBody | Finding> {
  const { crawl, requests, queries } = context;
  const { checkpoint } = crawl;
  const kind = getKind(crawl.kind);
  const requestValue = await requestValueOf(crawl, queries);
  if (requestValue === undefined) return { is: 'account', ...(await resolveHandle(context)) };
  if (await hasFreshProfile(context)) return { is: 'ended', pages: 0, end: SEEN_LATELY };
  const request = toCursorRequest(kind.endpoint, kind.parameter, requestValue);
  if (checkpoint.cursorOrigin && !isIssuedFor(checkpoint.cursorOrigin, request))
    return { is: 'account', id: requestValue };

  // A list is read page after page from the start of the crawl: an older response is no page of this reading.
  const readFrom = Math.max(crawl.startedAt ?? 0, checkpoint.cursorOrigin?.issuedAt ?? 0);
  const parameters = { [kind.parameter]: requestValue, ...(crawl.cursor === null ? {} : { cursor: crawl.cursor }) };
  try {
    const body =
      kind.idForm === 'handle' ? await fetchProfile(context) : await requests.send(kind.endpoint, parameters, readFrom);
    return { is: 'body', body, requestValue, request };
  } catch (error) {
    return await interpretRefusal(error, requestValue, context);
  }
}

/** Invariant 9: a snowball does not fetch a profile again that was seen lately. A profile that a user names is fetched. */
async function hasFreshProfile({ crawl, requests, queries }: FetchContext): Promise<boolean> {
  if (!getKind(crawl.kind).isSkippedIfFresh || crawl.parentId === null || crawl.options.verify) return false;
  const account = parseAccount(crawl.target);
  const seenAt = 'id' in account ? (await queries.userById(account.id))?.profileAt : undefined;
  return seenAt != null && requests.at - seenAt <= PROFILE_MAX_AGE && requests.at - seenAt >= 0;
}

/** What a 404 or a 400 in place of a page shows of the crawl. @throws the error if it shows nothing */
async function interpretRefusal(error: unknown, requestValue: string, context: FetchContext): Promise<Finding> {
  const { crawl } = context;
  const { options, checkpoint } = crawl;
  const isMissing = error instanceof NotFoundError;
  if (crawl.cursor !== null) {
    if (await isRefusal(error, context)) return { is: 'cursor_refused' };
  } else if (isMissing && getKind(crawl.kind).mayBeEmpty) return await findEmptyOrMissing(requestValue, context);
  // Only a 404 says that the tweet is gone (invariant 7).
  if (options.verify && isMissing && (await isRefusal(error, context)))
    return { is: 'ended', pages: 1, end: TWEET_DELETED };
  // The account that had the handle is gone; another one may have it.
  if (isMissing && crawl.cursor === null && isResolvedByHandle(crawl) && !checkpoint.isHandleVerified) {
    const holder = await findHandleHolder(context);
    if (holder !== undefined && holder !== requestValue) return { is: 'account', id: holder };
  }
  throw error;
}

/** Whether the service refuses the request itself: a 400 or 404 that is not about the quota. */
async function isRefusal(error: unknown, { governor, requests }: FetchContext): Promise<boolean> {
  if (!(error instanceof NotFoundError || error instanceof BadRequestError)) return false;
  return (await governor.explainAsQuotaError(error, requests.signal)) === undefined;
}

/** A 404 on a timeline: "does not exist or has no tweets" (spec, Errors). The profile shows which; one of today will do. */
async function findEmptyOrMissing(id: string, context: FetchContext): Promise<Finding> {
  const { requests, queries } = context;
  const { kind, checkpoint } = context.crawl;
  const { profileAt, summaryAt } = (await queries.userById(id)) ?? {};
  const seenAt = Math.max(profileAt ?? 0, summaryAt ?? 0);
  // A list with items in the store was not empty: the account may be gone since.
  const isOld = async (): Promise<boolean> =>
    requests.at - seenAt > DAY || (await queries.intervals(kind, id)).length > 0;
  if (checkpoint.refusedCursors || checkpoint.isHandleUnused || (!checkpoint.isHandleVerified && (await isOld()))) {
    const holder = await confirmAccount(context);
    // Another account has the handle now.
    if (holder !== id) return { is: 'account', id: holder };
  }
  return { is: 'ended', pages: 1, end: NO_TWEETS };
}
