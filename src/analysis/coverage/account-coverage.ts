import { foldHandle } from '../../base/text.ts';
import type { TimeRange } from '../../base/time-ranges.ts';
import { prepareSearchReads } from '../../store/coverage/search-windows.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { prepareCountPairs } from '../account-counts.ts';
import { prepareAccountListCoverage } from './account-lists.ts';
import type { AccountCoverage } from './coverage-model.ts';
import { prepareListTweets } from './list-tweets.ts';
import { type NamedAccount, prepareNamedAccount } from './named-account.ts';
import { prepareOrderedListCoverage } from './ordered-lists.ts';

/**
 * Prepares reading the coverage of accounts by id: how much of each list is stored, on an axis of time and in numbers.
 * Undefined for an account that is not stored.
 */
export function prepareAccountCoverage(db: Db): (restId: string) => AccountCoverage | undefined {
  const findAccount = prepareNamedAccount(db);
  const readCounts = prepareCountPairs(db);
  const countListTweets = prepareListTweets(db);
  const countTweets = db.$client.prepare<[number], number>('select count(*) from tweets where author_id = ?').pluck();
  const readOrderedList = prepareOrderedListCoverage(db);
  const readAccountList = prepareAccountListCoverage(db);
  const { searchedWindows } = prepareSearchReads(db);
  const findHandleChange = db.$client
    .prepare<[number], number | null>(
      'select max(changed_at) from user_history where user_id = ? and screen_name is not null',
    )
    .pluck();

  /** A search for an earlier handle may have found the tweets of another account. */
  function readSearched({ user: { id, screenName, firstSeenAt } }: NamedAccount): TimeRange[] {
    if (screenName === null) return [];
    return searchedWindows(`from:${foldHandle(screenName)}`, findHandleChange.get(id) ?? firstSeenAt);
  }

  return (restId) => {
    const found = findAccount(restId);
    if (!found) return undefined;
    const { screenName, name, createdAt } = found.user;
    const tweets = countTweets.get(found.user.id)!;
    const searched = readSearched(found);
    const counts = { timeline: readCounts(restId, 'timeline')!, replies: readCounts(restId, 'replies')! };
    const evidence = { tweets, counts, listTweets: countListTweets(found.user.id), searched };
    return {
      account: { restId, screenName, name, createdAt, unavailableAt: found.unavailableAt },
      tweets: { stored: tweets },
      orderedLists: (['timeline', 'replies'] as const).map((kind) => readOrderedList(kind, found, evidence)),
      accountLists: (['followers', 'following'] as const).map((kind) => readAccountList(kind, found)),
      searched,
    };
  };
}
