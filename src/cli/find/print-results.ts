import { toLine } from '../../analysis/sql/printable-text.ts';
import { measureWidth } from '../../analysis/sql/text-width.ts';
import type { TweetResult } from '../../search/find-tweets.ts';
import type { UserResult } from '../../search/find-users.ts';
import type { TextRange } from '../../search/folded-text.ts';
import type { HiddenState } from '../../search/ranking.ts';
import { formatCount, pluralize, print, getTerminalWidth, formatDay, formatMinute } from '../terminal/print.ts';
import { BOLD, getEmphasis } from '../terminal/style.ts';
import { formatExcerpt } from './excerpt.ts';

const INDENT = '  ';
/** The lines of a text, and its columns where there is no terminal. */
const MAX_LINES = 4;
const MAX_COLUMNS = 320;
const MAX_NAME = 40;
const MIN_WIDTH = 20;

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
  const width = Math.max(getTerminalWidth() ?? Number.POSITIVE_INFINITY, MIN_WIDTH);
  const numberWidth = formatCount(entries.length).length;
  const lines = entries.map((entry, i) => {
    const number = `${formatCount(i + 1).padStart(numberWidth)}. `;
    return [...formatHead(entry, number, width), ...formatBody(entry.body, width)].join('\n');
  });
  if (lines.length > 0) print(lines.join('\n\n'));
}

/** Formats the line above a text. What does not fit a narrow terminal goes to lines of its own. */
function formatHead({ handle, name, facts }: Entry, number: string, width: number): string[] {
  const space = Math.min(MAX_NAME, width - number.length);
  const [account = ''] = formatText(handle, space, space);
  const names = name === undefined ? [] : formatText(name, MAX_NAME, MAX_NAME).slice(0, 1);
  const parts = [`${number}${account}`, ...names.filter((part) => part !== ''), ...facts];
  const lines: string[] = [];
  for (const part of parts) {
    const joined = lines.length === 0 ? part : `${lines.at(-1)} · ${part}`;
    if (lines.length === 0 || measureWidth(stripEmphasis(joined)) <= width)
      lines[Math.max(0, lines.length - 1)] = joined;
    else lines.push(`${INDENT}${part}`);
  }
  return lines;
}

const stripEmphasis = (text: string): string => text.replaceAll(BOLD.open, '').replaceAll(BOLD.close, '');

function formatBody(body: Text | undefined, width: number): string[] {
  if (body === undefined) return [];
  const columns = width - INDENT.length;
  const maxWidth = Number.isFinite(columns) ? columns * MAX_LINES : MAX_COLUMNS;
  return formatText(body, columns, maxWidth).map((line) => (line === '' ? '' : INDENT + line));
}

function formatText({ text, matches }: Text, width: number, maxWidth: number): string[] {
  const emphasis = getEmphasis();
  const emphasisWidth = emphasis === BOLD ? 0 : emphasis.open.length + emphasis.close.length;
  return formatExcerpt(text, matches, { width, maxWidth, emphasis, emphasisWidth });
}
