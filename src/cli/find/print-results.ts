import type { TweetResult } from '../../analysis/find/find-tweets.ts';
import type { UserResult } from '../../analysis/find/find-users.ts';
import type { TextRange } from '../../analysis/find/folded-text.ts';
import type { HiddenState } from '../../analysis/find/ranking.ts';
import { cutExcerpt } from '../../analysis/search/make-excerpt.ts';
import { toLine } from '../../analysis/sql/printable-text.ts';
import { formatCount, formatDay, formatMinute, pluralize, print } from '../terminal/print.ts';
import { getEmphasis, type Emphasis } from '../terminal/style.ts';

/** The columns of a text and of a name. */
const MAX_COLUMNS = 320;
const MAX_NAME = 40;

/** Prints found tweets: a line with the author, the time and the id, then the text around its first match. */
export const printTweets = (tweets: readonly TweetResult[]): void => printEntries(tweets.map(describeTweet));

/** Prints found accounts: a line with handle, name and followers, then the biography around its first match. */
export const printUsers = (users: readonly UserResult[]): void => printEntries(users.map(describeUser));

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
