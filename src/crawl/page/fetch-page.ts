import { getKind, PROFILE_MAX_AGE } from '../../service/kinds/kinds.ts';
import { parseAccount } from '../../service/kinds/target.ts';
import type { PageRequest } from '../../store/normalise/parse-page.ts';
import type { StoredCrawl } from '../../store/schema/query-results.ts';
import { type CursorRequest, isIssuedFor, toCursorRequest } from '../pagination/cursor-origin.ts';
import { buildRawQuery } from '../search/window-crawl.ts';
import type { EngineQueries } from '../slice/engine-dependencies.ts';
import { fetchProfile, type ResolutionContext, resolveHandle } from './account-resolution.ts';
import { type Finding, interpretRefusal } from './not-found.ts';
import type { FetchedPage } from './page-requests.ts';

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
export async function fetchPage(context: ResolutionContext): Promise<PageResponse | Finding> {
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

  // A list is read page after page from the start of the crawl: an older response is no page of this reading.
  const { cursorOrigin, retriedAt = -1, isRepeatedPage } = checkpoint;
  const readFrom = Math.max(crawl.startedAt ?? 0, cursorOrigin?.issuedAt ?? 0, retriedAt + 1);
  try {
    const page: FetchedPage =
      kind.idForm === 'handle'
        ? await fetchProfile(context)
        : await requests.sendForPage(request, { since: readFrom, byPost: isRepeatedPage });
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
