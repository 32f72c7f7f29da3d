import { findTweets, rankTweets, type TweetResult } from '#analysis/find/find-tweets.ts';
import { findUsers, rankUsers, type UserResult } from '#analysis/find/find-users.ts';
import { DEFAULT_BOUNDS } from '#analysis/find/indexed-conditions.ts';
import type { Ranking, HiddenState } from '#analysis/find/ranking.ts';
import { TWEET_ORDERS } from '#analysis/find/tweet-search-sql.ts';
import { USER_ORDERS } from '#analysis/find/user-search-sql.ts';
import { type EvidenceAge, readEvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { listNotes } from '#analysis/search/list-notes.ts';
import { cutExcerpt } from '#analysis/search/make-excerpt.ts';
import type { SearchNote } from '#analysis/search/search-note.ts';
import { toLine } from '#analysis/sql/printable-text.ts';
import { systemClock } from '#base/clock.ts';
import { UsageError } from '#base/errors.ts';
import type { TextRange } from '#base/search-text.ts';
import { printEvidenceAge } from '#cli/shared/evidence-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import {
  hint,
  pronounOf,
  printJson,
  printNote,
  formatCount,
  formatDay,
  formatMinute,
  pluralize,
  print,
} from '#cli/terminal/print.ts';
import { getEmphasis, type Emphasis } from '#cli/terminal/style.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { FindOptions } from './export-found.ts';

/** The results that are shown, unless the command says otherwise. */
const SHOWN = 20;

/** `trawl find`. */
export async function runFind(words: readonly string[], options: FindOptions): Promise<void> {
  const query = words.join(' ');
  if (query.trim() === '') throw new UsageError('the search is empty');
  const isExported = options.format !== undefined || options.output !== undefined;
  if (options.pseudonymise && !isExported)
    throw new UsageError('found text is not shown with pseudonyms', { hint: 'Write a file with -o, or rows with -f.' });
  const files = isExported ? await import('./export-found.ts') : undefined;
  files?.checkFormat(options);
  const search = isExported ? rank : show;
  const scope = { isForUsers: options.users ?? false, includeHidden: options.includeDeleted ?? false };
  const { ranking, notes, deletions, write } = await readStore(options.db, (db) =>
    // All statements read the same state of the store.
    db.$client.transaction(() => {
      const answer = search(db, query, options);
      const isCounted = answer.ranking.hidden.deletedTweets > 0;
      return {
        ...answer,
        notes: listNotes(db, query, answer.ranking, scope),
        deletions: isCounted ? readEvidenceAge(db, { now: systemClock.now() }) : null,
      };
    })(),
  );
  await files?.exportFound(ranking, options);
  write?.(deletions);
  for (const note of notes) printNote(formatNote(note));
  if (deletions) printEvidenceAge(deletions);
}

const REMEDIES: Readonly<Record<NonNullable<SearchNote['option']>, (count?: number) => string>> = {
  limit: () => ' (--limit shows more)',
  includeDeleted: (count = 0) => ` (--include-deleted shows ${pronounOf(count)})`,
};

function formatNote({ text, option, count, command }: SearchNote): string {
  const advice = command && `: ${hint(command.name, command.args)} ${command.result}`;
  return [text, option && REMEDIES[option](count), advice].join('');
}

interface Answer {
  readonly ranking: Ranking;
  /** Prints the results; in a document, with the age of the evidence of deletions if it counts any. */
  readonly write?: (deletions: EvidenceAge | null) => void;
}

/** Finds the rows of a file: all that are ranked, unless there is a limit. */
function rank(db: Db, query: string, options: FindOptions): Answer {
  const { users, limit = DEFAULT_BOUNDS.maxRanked, includeDeleted: includeHidden = false } = options;
  const common = { limit, includeHidden };
  return {
    ranking: users
      ? rankUsers(db, query, { ...common, order: readOrder(USER_ORDERS, 'accounts', options) })
      : rankTweets(db, query, { ...common, order: readOrder(TWEET_ORDERS, 'tweets', options) }),
  };
}

/** Finds results with what matches in them. */
function show(db: Db, query: string, options: FindOptions): Answer {
  const { users, json, limit = SHOWN, includeDeleted: includeHidden = false } = options;
  const common = { limit, includeHidden };
  if (users) {
    const ranking = findUsers(db, query, { ...common, order: readOrder(USER_ORDERS, 'accounts', options) });
    return {
      ranking,
      write() {
        if (json) printJson({ ...toSearchJson(query, ranking), users: ranking.results.map(toUserJson) });
        else printEntries(ranking.results.map(describeUser));
      },
    };
  }
  const ranking = findTweets(db, query, { ...common, order: readOrder(TWEET_ORDERS, 'tweets', options) });
  return {
    ranking,
    write(deletions) {
      if (json) printJson({ ...toSearchJson(query, ranking), deletions, tweets: ranking.results.map(toTweetJson) });
      else printEntries(ranking.results.map(describeTweet));
    },
  };
}

/** @throws UsageError for an order that does not apply to the results */
function readOrder<O extends object>(orders: O, what: string, { sort = 'relevance' }: FindOptions): keyof O {
  if (Object.hasOwn(orders, sort)) return sort as keyof O;
  throw new UsageError(`--sort ${sort} does not apply to ${what}`, {
    hint: `Orders of ${what}: ${Object.keys(orders).join(', ')}.`,
  });
}

const toSearchJson = (query: string, { matched, limits, hidden }: Ranking) => ({
  query,
  matches: matched,
  limits,
  hidden,
});

const toTweetJson = (tweet: TweetResult) => ({
  restId: tweet.restId,
  author: tweet.author,
  createdAt: tweet.createdAt,
  text: tweet.text,
  favoriteCount: tweet.favoriteCount,
  retweetCount: tweet.retweetCount,
  replyCount: tweet.replyCount,
  quoteCount: tweet.quoteCount,
  state: tweet.state,
  highlights: { text: toCodePoints(tweet.text, tweet.highlights) },
});

const toUserJson = ({ restId, screenName, name, description, highlights, ...user }: UserResult) => ({
  restId,
  screenName,
  name,
  description,
  createdAt: user.createdAt,
  followersCount: user.followersCount,
  statusesCount: user.statusesCount,
  state: user.state,
  highlights: {
    screenName: toCodePoints(screenName, highlights.screenName),
    name: toCodePoints(name, highlights.name),
    description: toCodePoints(description, highlights.description),
  },
});

/** Converts places in UTF-16 code units to places in code points, as most languages and jq count them. */
function toCodePoints(text: string | null, ranges: readonly TextRange[]): TextRange[] {
  let units = 0;
  let points = 0;
  const convert = (at: number): number => {
    for (; units < at; points++) units += text!.codePointAt(units)! > 0xffff ? 2 : 1;
    return points;
  };
  return ranges.map(({ start, end }) => ({ start: convert(start), end: convert(end) }));
}

/** The columns of a text and of a name. */
const MAX_COLUMNS = 320;
const MAX_NAME = 40;

interface Text {
  readonly text: string;
  readonly matches: readonly TextRange[];
}

/** A result: what its first line says, in order, and a text below. */
interface Entry {
  readonly handle: Text;
  readonly name: Text | undefined;
  readonly facts: readonly string[];
  readonly body: Text | undefined;
}

function describeTweet({ author, createdAt, favoriteCount, restId, text, highlights, state }: TweetResult): Entry {
  return {
    handle: toHandle(author?.screenName, []),
    name: author?.name == null ? undefined : { text: author.name, matches: [] },
    facts: [
      ...(createdAt === null ? [] : [formatMinute(createdAt)]),
      ...(favoriteCount === null ? [] : [pluralize(favoriteCount, 'like')]),
      `id ${toLine(restId, MAX_NAME)}`,
      ...describeState(state),
    ],
    body: text === null ? undefined : { text, matches: highlights },
  };
}

function describeUser({
  screenName,
  name,
  followersCount,
  createdAt,
  restId,
  description,
  ...user
}: UserResult): Entry {
  const { highlights, state } = user;
  return {
    handle: toHandle(screenName, highlights.screenName),
    name: name === null ? undefined : { text: name, matches: highlights.name },
    facts: [
      ...(followersCount === null ? [] : [pluralize(followersCount, 'follower')]),
      ...(createdAt === null ? [] : [`since ${formatDay(createdAt)}`]),
      `id:${toLine(restId, MAX_NAME)}`,
      ...describeState(state),
    ],
    body:
      description === null || description === '' ? undefined : { text: description, matches: highlights.description },
  };
}

const describeState = (state: HiddenState | null): string[] =>
  state === null ? [] : [state === 'deleted' ? 'deleted' : 'account unavailable'];

const toHandle = (screenName: string | null | undefined, matches: readonly TextRange[]): Text =>
  screenName == null
    ? { text: '(unknown account)', matches: [] }
    : { text: `@${screenName}`, matches: matches.map(({ start, end }) => ({ start: start + 1, end: end + 1 })) };

function printEntries(entries: readonly Entry[]): void {
  const emphasis = getEmphasis();
  const format = ({ text, matches }: Text, maxWidth: number): string =>
    formatExcerpt(text, matches, emphasis, maxWidth);
  const numberWidth = formatCount(entries.length).length;
  const lines = entries.map(({ handle, name, facts, body }, i) => {
    const number = `${formatCount(i + 1).padStart(numberWidth)}. `;
    const parts = [format(handle, MAX_NAME), ...(name ? [format(name, MAX_NAME)] : []), ...facts];
    const head = number + parts.filter((part) => part !== '').join(' · ');
    return body ? `${head}\n${`  ${format(body, MAX_COLUMNS)}`.trimEnd()}` : head;
  });
  if (lines.length > 0) print(lines.join('\n\n'));
}

/**
 * Formats a text with its matches as a line for a terminal. White space becomes a space, control and bidirectional characters
 * become visible. A text of more than `maxWidth` columns is cut to the part around its first match.
 */
export function formatExcerpt(
  text: string,
  matches: readonly TextRange[],
  { open, close }: Emphasis,
  maxWidth: number,
): string {
  let line = '';
  let isOpen = false;
  for (const { text: character, isMatch } of cutExcerpt(text, matches, maxWidth)) {
    if (isMatch !== isOpen) line += isMatch ? open : close;
    isOpen = isMatch;
    line += character;
  }
  return (isOpen ? line + close : line).trimEnd();
}
