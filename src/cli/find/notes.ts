import { countRows } from '../../analysis/count-rows.ts';
import { countUnindexedUsers } from '../../search/find-users.ts';
import type { Ranking, SearchLimit } from '../../search/ranking.ts';
import { DEFAULT_BOUNDS } from '../../search/sources.ts';
import { tweets, users } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { hint } from '../shared/command-hints.ts';
import { formatCount, pluralize } from '../terminal/format.ts';
import type { FindOptions } from './command.ts';
import { explainTerms } from './explain-terms.ts';

type NoteOptions = Pick<FindOptions, 'users' | 'includeDeleted'>;

/** What people have to know about an answer: its size, its limits, and what was searched if nothing matches. */
export function listNotes(db: Db, query: string, ranking: Ranking, options: NoteOptions): string[] {
  const unindexed = options.users ? countUnindexedUsers(db) : 0;
  return [
    ...(ranking.ids.length > 0
      ? [describeSize(ranking, options)]
      : [describeSearched(db, ranking, options), ...explainTerms(db, query, options)]),
    ...ranking.limits.map((limit) => describeLimit(limit, options)),
    ...describeHidden(ranking, options),
    ...(unindexed > 0
      ? [`${pluralize(unindexed, 'account')} of a running crawl not searched: they are indexed when it ends or pauses`]
      : []),
  ];
}

function describeSize({ ids, matched, limits }: Ranking, options: NoteOptions): string {
  const all = `${limits.length > 0 ? 'at least ' : ''}${describeCount(matched, options)}`;
  return ids.length === matched ? `found ${all}` : `shown: ${formatCount(ids.length)} of ${all} (--limit shows more)`;
}

const describeCount = (n: number, { users: isUsers }: NoteOptions): string =>
  pluralize(n, isUsers ? 'account' : 'tweet');

/** Says what was searched. A search that is limited did not read all. */
function describeSearched(db: Db, { limits, hidden }: Ranking, options: NoteOptions): string {
  const stored = countRows(db, options.users ? users : tweets);
  if (stored === 0) {
    const command = hint('crawl', options.users ? 'profile <account>' : 'timeline <account>');
    return `the database has no ${options.users ? 'accounts' : 'tweets'}: ${command} collects them`;
  }
  const isAllHidden = hidden.deletedTweets + hidden.unavailableAccounts > 0;
  const verdict = limits.length > 0 ? 'nothing found in the part that was read of' : 'nothing matches in';
  return `${isAllHidden ? verdict.replace('nothing', 'nothing else') : verdict} ${describeCount(stored, options)}: a database has only what was crawled`;
}

const { maxExamined, maxRanked } = DEFAULT_BOUNDS;

function describeLimit(limit: SearchLimit, { users: isUsers }: NoteOptions): string {
  const narrower = isUsers ? 'Add words' : 'Narrow it with words, from:, since: or until:';
  const [rows, read] = [isUsers ? 'accounts' : 'tweets', formatCount(maxExamined)];
  const reasons: Readonly<Record<SearchLimit, string>> = {
    ranked: `the search is limited: of more matches, the ${formatCount(maxRanked)} stored last are ranked. ${narrower}.`,
    read: `the search is limited: it read ${read} ${rows}, the newest or those stored last, and may lack matches among the others. ${narrower}.`,
    characters:
      `the search is limited: beyond ${read} ${rows}, it finds the characters as they are written here, ` +
      `but not half-width ones with a voicing mark (ｶﾞ) or signs for words (㌔). ${narrower}.`,
  };
  return reasons[limit];
}

function describeHidden({ hidden }: Ranking, options: NoteOptions): string[] {
  const { deletedTweets, unavailableAccounts } = hidden;
  const parts = [
    ...(deletedTweets > 0 ? [pluralize(deletedTweets, 'deleted tweet')] : []),
    ...(unavailableAccounts > 0 ? [describeUnavailable(unavailableAccounts, options)] : []),
  ];
  if (parts.length === 0) return [];
  return [
    options.includeDeleted
      ? `included: ${parts.join(' and ')}`
      : `left out: ${parts.join(' and ')} (--include-deleted shows them)`,
  ];
}

const describeUnavailable = (n: number, { users: isUsers }: NoteOptions): string =>
  isUsers
    ? `${pluralize(n, 'account')} that the service no longer shows`
    : `${pluralize(n, 'tweet')} of accounts that the service no longer shows`;
