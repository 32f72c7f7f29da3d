import { DAY } from '../../base/clock.ts';
import { BadRequestError, NotFoundError } from '../../base/errors.ts';
import { GONE_ENDS } from '../../service/kinds/end-states.ts';
import { getKind } from '../../service/kinds/kinds.ts';
import { confirmAccount, findHandleHolder, type ResolutionContext } from './account-resolution.ts';
import { isResolvedByHandle } from './crawl-handles.ts';

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
