import { readPage } from '../contract/pages.ts';
import {
  BudgetSpentError,
  OutageError,
  PausedError,
  QuotaExceededError,
  ServiceError,
  UnauthorizedError,
} from '../errors.ts';
import { getKind } from '../kinds/kinds.ts';
import { normaliseProfilePage } from '../normalise/pages.ts';
import type { PageSummary } from '../normalise/parse-page.ts';
import type { Governor } from '../quota/governor.ts';
import type { Decision } from './decide-page.ts';
import type { FetchContext } from './not-found.ts';

/**
 * Requests the profile of the owner of a list of followers or followed accounts that the service ended, where the list can
 * only be judged by the owner's count (invariant 7). Without an answer, the count stays unknown.
 * @param storePages resolves when the earlier pages of the crawl are stored
 * @returns whether a profile was requested
 */
export async function requestOwnerCount(
  { crawl, requests, queries, governor }: FetchContext,
  { end, crawl: { targetRestId: id } }: Pick<Decision, 'end' | 'crawl'>,
  { itemIds, owner }: PageSummary,
  storePages: () => Promise<unknown>,
): Promise<boolean> {
  const { edgeSide: side } = getKind(crawl.kind);
  if (side === undefined || id === null || end?.state !== 'complete' || end.ending !== 'served') return false;
  await storePages();
  const startedAt = crawl.startedAt ?? requests.at;
  if (!(await queries.needsOwnerCount({ side, owner: id, startedAt }, itemIds))) return false;
  const screenName = owner?.screenName ?? (await queries.userById(id))?.screenName;
  if (screenName == null) return false;
  try {
    const body = await requests.send('user-profile', { screenName }, startedAt);
    requests.addLookup(normaliseProfilePage(readPage('user-profile', body), screenName).rows);
  } catch (error) {
    await requests.reportUnanswered();
    await ignoreFailure(error, governor);
  }
  return true;
}

/** The list is whole without the count. Other crawls learn of a refusal. @throws any error that is not about requests */
async function ignoreFailure(error: unknown, governor: Governor): Promise<void> {
  if (error instanceof UnauthorizedError) await governor.reportDeadKey();
  else if (error instanceof QuotaExceededError) await governor.reportRefusal(error);
  else if (![ServiceError, PausedError, OutageError, BudgetSpentError].some((type) => error instanceof type))
    throw error;
}
