import { findTweets, type TweetResult } from '#analysis/find/find-tweets.ts';
import { findUsers, type UserResult } from '#analysis/find/find-users.ts';
import { TWEET_ORDERS } from '#analysis/find/tweet-search-sql.ts';
import { USER_ORDERS } from '#analysis/find/user-search-sql.ts';
import { describeTerms } from '#analysis/search/describe-terms.ts';
import { listNotes } from '#analysis/search/list-notes.ts';
import { cutExcerpt } from '#analysis/search/make-excerpt.ts';
import type { SearchScope, SearchNote } from '#analysis/search/search-note.ts';
import { UsageError } from '#base/errors.ts';
import type { TextRange } from '#base/search-text.ts';
import { quoteShellWord } from '#base/text.ts';
import type { FindData, FindNote, FoundAccountData, FoundTweetData, MarkedText } from '#dashboard/server/api/find.ts';
import { formatStoreCommand } from '#dashboard/server/reader/format-store-command.ts';
import { parseChoices, type AddressQuery } from '#dashboard/server/reader/query-values.ts';
import type { ReadContext, ReadRequest } from '#dashboard/server/reader/read.ts';
import { toShortLine } from '#dashboard/server/reader/short-line.ts';

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 500;
/** The columns of a text and of a name. */
const MAX_TEXT = 600;
const MAX_NAME = 80;

/**
 * Searches the store as `trawl find` does: `q`, `in` (tweets or accounts), `sort`, `limit` and `deleted`.
 * @throws UsageError for a search that is empty or too long, or a wrong value
 */
export function readFound({ db, settings, now }: ReadContext, { query }: ReadRequest): FindData {
  const search = query['q']?.trim() ?? '';
  if (search === '') throw new UsageError('the search is empty');
  const { in: searched = 'tweets', sort = 'relevance', deleted } = query;
  if (searched !== 'tweets' && searched !== 'accounts') throw new UsageError('in must be tweets or accounts');
  const scope: SearchScope = { isForUsers: searched === 'accounts', includeHidden: deleted === '1' };
  const terms = describeTerms(search, scope);
  const options = { limit: readLimit(query['limit']), includeHidden: scope.includeHidden };
  const found =
    searched === 'accounts'
      ? { ...findUsers(db, search, { ...options, order: readOrder(USER_ORDERS, query) }), kind: 'accounts' as const }
      : { ...findTweets(db, search, { ...options, order: readOrder(TWEET_ORDERS, query) }), kind: 'tweets' as const };
  const problems = new Set(terms.map(({ problem }) => problem));
  const command = [
    'find',
    ...(scope.isForUsers ? ['--users'] : []),
    quoteShellWord(search),
    ...(sort === 'relevance' ? [] : ['--sort', sort]),
    ...(scope.includeHidden ? ['--include-deleted'] : []),
  ];
  return {
    at: now,
    terms: terms.map(({ problem = null, ...term }) => ({ ...term, problem })),
    // What is wrong with a term is said beside it.
    notes: listNotes(db, search, found, scope)
      .filter(({ text }) => !problems.has(text))
      .map((note) => toFindNote(note, (line) => formatStoreCommand(settings, line))),
    tweets: found.kind === 'tweets' ? found.results.map(toTweet) : [],
    accounts: found.kind === 'accounts' ? found.results.map(toAccount) : [],
    command: formatStoreCommand(settings, command.join(' ')),
  };
}

function readLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  const limit = Number(text);
  if (!/^\d{1,6}$/.test(text) || limit < 1 || limit > MAX_LIMIT)
    throw new UsageError(`limit must be a number from 1 to ${MAX_LIMIT}`);
  return limit;
}

/** The order that is named; the first one by default. */
function readOrder<O extends object>(orders: O, query: AddressQuery): keyof O {
  const names = Object.keys(orders) as (keyof O & string)[];
  return (parseChoices(query, 'sort', names) ?? names)[0]!;
}

const toFindNote = ({ text, option, command }: SearchNote, toCommand: (line: string) => string): FindNote => ({
  text: toShortLine(text),
  option: option ?? null,
  command: command
    ? {
        line: toShortLine(toCommand(`${command.name} ${command.args ?? ''}`.trim())),
        result: command.result,
      }
    : null,
});

const toTweet = ({ author, highlights, ...tweet }: TweetResult): FoundTweetData => ({
  restId: toShortLine(tweet.restId),
  author: author && {
    restId: author.restId,
    handle: shorten(author.screenName),
    name: shorten(author.name),
  },
  createdAt: tweet.createdAt,
  likes: tweet.favoriteCount,
  retweets: tweet.retweetCount,
  replies: tweet.replyCount,
  state: tweet.state,
  text: markMatches(tweet.text, highlights, MAX_TEXT),
});

const toAccount = ({ screenName, name, description, highlights, ...user }: UserResult): FoundAccountData => ({
  restId: user.restId,
  handle: markMatches(screenName, highlights.screenName, MAX_NAME),
  name: markMatches(name, highlights.name, MAX_NAME),
  biography: markMatches(description, highlights.description, MAX_TEXT),
  followers: user.followersCount,
  tweets: user.statusesCount,
  createdAt: user.createdAt,
  state: user.state,
});

const shorten = (text: string | null): string | null => (text === null ? null : toShortLine(text));

/**
 * Splits a text into parts that match and parts that do not, at most so many columns around the first match. It is one line, with
 * control and bidirectional characters replaced.
 */
function markMatches(text: string | null, matches: readonly TextRange[], maxWidth: number): MarkedText {
  const parts: { text: string; isMatch: boolean }[] = [];
  for (const { text: character, isMatch } of cutExcerpt(text ?? '', matches, maxWidth)) {
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += character;
    else parts.push({ text: character, isMatch });
  }
  return parts;
}
