import type { MissingData } from '#analysis/queries/missing-data.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { capitalise, toSentence, pluralize, truncate } from '#base/text.ts';
import { formatDay } from '#base/units.ts';
import { type Block, describeRows, type Post, type Text } from '#files/report/report.ts';
import { type AnsweredQuery, chooseSpec, type QueryAnswer, toObjects } from '#files/report/run-queries.ts';

/** How a query is shown. */
export interface QueryPresentation {
  readonly title: string;
  readonly caption: string;
  /** What it means that no row matches, or that all counts are 0: `No deletion was noticed.` */
  readonly none: string;
  /** Whether the page says elsewhere what the service does not show. */
  readonly isLimitStated?: boolean;
}

export interface ChartPresentation extends QueryPresentation {
  /** Whether 0 is a result like any other: the number of followers may be 0. */
  readonly isZeroShown?: boolean;
}

export interface TablePresentation extends QueryPresentation {
  /** The columns that are shown, with their labels; by default, all. */
  readonly columns?: Readonly<Record<string, string>>;
}

/** Returns the chart of a query, or why there is none. */
export function presentChart(
  answered: AnsweredQuery,
  { title, caption, none, isZeroShown = false, isLimitStated = false }: ChartPresentation,
): Block[] {
  const { answer } = answered;
  const spec = chooseSpec(answered);
  const y = answer.columns.indexOf(spec.value ?? spec.y);
  const heading: Block = { type: 'heading', text: title };
  const isShown = answer.rows.some((row) => row[y] !== null && (isZeroShown || row[y] !== 0));
  if (!isShown) return [heading, ...describeAbsence(answer.missing, none)];
  return [
    { type: 'chart', title, caption, data: { columns: answer.columns, rows: answer.rows }, spec },
    ...listRemarks(answer.missing, isLimitStated),
  ];
}

/** Returns the rows of a query as a table, or why there are none. */
export function presentTable(
  { answer }: AnsweredQuery,
  { title, caption, none, columns, isLimitStated = false }: TablePresentation,
): Block[] {
  const heading: Block = { type: 'heading', text: title };
  if (answer.rows.length === 0) return [heading, ...describeAbsence(answer.missing, none)];
  return [heading, describeRows(answer, caption, { columns }), ...listRemarks(answer.missing, isLimitStated)];
}

const listRemarks = (missing: readonly MissingData[], isLimitStated: boolean): Block[] =>
  missing.filter(({ state }) => !isLimitStated || state !== 'not available').map(describeMissing);

/** Why a query has no rows: data is missing, or nothing in the collected data matches. */
const describeAbsence = (missing: readonly MissingData[], none: string): Block[] =>
  missing.length === 0 ? [{ type: 'absence', absence: 'no results', text: none }] : missing.map(describeMissing);

function describeMissing({ state, label, detail, command }: MissingData): Block {
  const text = `${capitalise(label)}${detail === '' ? '' : `: ${detail}`}.`;
  return { type: 'absence', absence: state, text, command: command === null ? undefined : `trawl ${command}` };
}

/** How old the evidence of deletions is. */
export const describeEvidenceAge = ({ sentence, command }: EvidenceAge): Block =>
  command === null
    ? { type: 'paragraph', text: toSentence(`${sentence}.`) }
    : { type: 'absence', absence: 'not checked', text: toSentence(`${sentence}.`), command: `trawl ${command}` };

/** Joins the blocks of several charts. What holds for more than one of them is said once, before the first. */
export function joinCharts(...charts: readonly (readonly Block[])[]): Block[] {
  const remarks = new Map<string, Block>();
  const blocks = charts.flatMap(([first, ...rest]): readonly Block[] => {
    if (first?.type !== 'chart') return first ? [first, ...rest] : rest;
    for (const block of rest) remarks.set(JSON.stringify(block), block);
    return [first];
  });
  return [...remarks.values(), ...blocks];
}

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
