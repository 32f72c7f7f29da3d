import { countRows } from '#analysis/count-rows.ts';
import { countUnindexedUsers } from '#analysis/find/find-users.ts';
import { DEFAULT_BOUNDS } from '#analysis/find/indexed-conditions.ts';
import type { Ranking, SearchLimit } from '#analysis/find/ranking.ts';
import { formatCount, pluralize } from '#base/text.ts';
import { tweets, users } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { explainAccounts, explainTerms, type SearchScope, type SearchNote } from './search-note.ts';

/** Says what people have to know about an answer: its size, its limits, and what was searched if nothing matches. */
export function listNotes(db: Db, query: string, ranking: Ranking, scope: SearchScope): SearchNote[] {
  const unindexed = scope.isForUsers ? countUnindexedUsers(db) : 0;
  return [
    ...(ranking.ids.length > 0
      ? [describeSize(ranking, scope)]
      : [
          describeSearched(db, ranking, scope),
          ...explainAccounts(db, query, scope),
          ...explainTerms(query, scope).map((text) => ({ text })),
        ]),
    ...ranking.limits.map((limit) => ({ text: describeLimit(limit, scope) })),
    ...describeHidden(ranking, scope),
    ...(unindexed > 0
      ? [
          {
            text: `${pluralize(unindexed, 'account')} of a running crawl not searched: they are indexed when it ends or pauses`,
          },
        ]
      : []),
  ];
}

function describeSize({ ids, matched, limits }: Ranking, scope: SearchScope): SearchNote {
  const all = `${limits.length > 0 ? 'at least ' : ''}${describeCount(matched, scope)}`;
  return ids.length === matched
    ? { text: `found ${all}` }
    : { text: `shown: ${formatCount(ids.length)} of ${all}`, option: 'limit' };
}

const describeCount = (n: number, { isForUsers }: SearchScope): string =>
  pluralize(n, isForUsers ? 'account' : 'tweet');

/** Says what was searched. A search that is limited did not read all. */
function describeSearched(db: Db, { limits, hidden }: Ranking, scope: SearchScope): SearchNote {
  const { isForUsers } = scope;
  const stored = countRows(db, isForUsers ? users : tweets);
  if (stored === 0) {
    const args = isForUsers ? 'profile <account>' : 'timeline <account>';
    return {
      text: `the database has no ${isForUsers ? 'accounts' : 'tweets'}`,
      command: { name: 'crawl', args, result: 'collects them' },
    };
  }
  const isAllHidden = hidden.deletedTweets + hidden.unavailableAccounts > 0;
  const verdict = limits.length > 0 ? 'nothing found in the part that was read of' : 'nothing matches in';
  return {
    text: `${isAllHidden ? verdict.replace('nothing', 'nothing else') : verdict} ${describeCount(stored, scope)}: the database contains only crawled data`,
  };
}

const { maxExamined, maxRanked } = DEFAULT_BOUNDS;

function describeLimit(limit: SearchLimit, { isForUsers }: SearchScope): string {
  const narrower = isForUsers ? 'Add words' : 'Narrow it with words, from:, since: or until:';
  const [rows, read] = [isForUsers ? 'accounts' : 'tweets', formatCount(maxExamined)];
  const reasons: Readonly<Record<SearchLimit, string>> = {
    ranked: `the search is limited: of more matches, the ${formatCount(maxRanked)} stored last are ranked. ${narrower}.`,
    read: `the search is limited: it read ${read} ${rows}, the newest or those stored last, and may lack matches among the others. ${narrower}.`,
  };
  return reasons[limit];
}

function describeHidden({ hidden }: Ranking, scope: SearchScope): SearchNote[] {
  const { deletedTweets, unavailableAccounts } = hidden;
  const parts = [
    ...(deletedTweets > 0 ? [pluralize(deletedTweets, 'deleted tweet')] : []),
    ...(unavailableAccounts > 0 ? [describeUnavailable(unavailableAccounts, scope)] : []),
  ];
  if (parts.length === 0) return [];
  return scope.includeHidden
    ? [{ text: `included: ${parts.join(' and ')}` }]
    : [
        {
          text: `left out: ${parts.join(' and ')}`,
          option: 'includeDeleted',
          count: deletedTweets + unavailableAccounts,
        },
      ];
}

const describeUnavailable = (n: number, { isForUsers }: SearchScope): string =>
  isForUsers
    ? `${pluralize(n, 'account')} that the service no longer shows`
    : `${pluralize(n, 'tweet')} of accounts that the service no longer shows`;
