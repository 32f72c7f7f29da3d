import { pluralize, truncate } from '../../../base/text.ts';
import { formatDay } from '../../../base/units.ts';
import type { Block, Post, Text } from '../report-content.ts';
import { type QueryAnswer, toObjects } from '../run-queries.ts';
import { describeAbsence } from './query-blocks.ts';

/** The longest text of a tweet that a page shows, in characters. */
const MAX_TEXT = 500;

/** The counts of a tweet: their columns, and what one is called. */
const COUNTS = [
  ['likes', 'like'],
  ['retweets', 'retweet'],
  ['replies', 'reply'],
  ['quotes', 'quote'],
] as const;

type Row = ReturnType<typeof toObjects>[number];

/** Returns tweets with their counts, and the dates of these counts. */
export function describePosts(answer: QueryAnswer, { label, none }: { label: string; none: string }): Block[] {
  const rows = toObjects(answer);
  if (rows.length === 0) return describeAbsence(answer.missing, none);
  return [
    { type: 'paragraph', text: describeDates(rows) },
    { type: 'posts', label, posts: rows.map(toPost) },
  ];
}

function toPost(row: Row): Post {
  const { text, created_at: createdAt, rest_id: restId, as_of: asOf, author } = row;
  const counts = COUNTS.flatMap(([name, one]) =>
    typeof row[name] === 'number' ? pluralize(row[name], one, name) : [],
  );
  const parts: Text[] = [
    ...(typeof author === 'string' ? [{ name: `@${author}` }] : []),
    typeof createdAt === 'string' ? { day: createdAt } : 'time unknown',
    ...counts,
    `id ${restId}`,
    ...(typeof asOf === 'string' ? [['as of ', { day: asOf }]] : []),
  ];
  return {
    text: truncate(collapseSpace(String(text ?? '')), MAX_TEXT),
    meta: parts.flatMap((part, i) => [...(i === 0 ? [] : [' · ']), ...(Array.isArray(part) ? part : [part])]) as Text,
  };
}

/** Removes empty lines: a text of line breaks alone would fill pages. */
const collapseSpace = (text: string): string =>
  text
    .trim()
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n[\s]*/g, '\n');

function describeDates(rows: readonly Row[]): Text {
  const seen = rows.flatMap(({ as_of: at }) => (typeof at === 'string' ? [at] : [])).toSorted();
  const [first, last] = [seen[0], seen.at(-1)];
  if (first === undefined || last === undefined) return 'Counts are those when the tweets were last seen.';
  return formatDay(first) === formatDay(last)
    ? ['Counts are as of ', { day: last }, ', when the service showed the tweets last.']
    : [
        'Counts are as of the last time when the service showed each tweet: from ',
        { day: first },
        ' to ',
        { day: last },
        '.',
      ];
}
