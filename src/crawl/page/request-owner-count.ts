import { ServiceError } from '../../base/errors.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import type { PageSummary } from '../../store/normalise/parse-page.ts';
import { HeldError } from '../gates/gates.ts';
import type { ResolutionContext } from './account-resolution.ts';
import type { Decision } from './decide-page.ts';

/**
 * Requests the profile of the owner of a list of followers or followed accounts that the service ended, where the list can
 * only be judged by the owner's count (invariant 7). Without an answer, the count stays unknown.
 * @param storePages resolves when the earlier pages of the crawl are stored
 * @returns whether a profile was requested
 */
export async function requestOwnerCount(
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
