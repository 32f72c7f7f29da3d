import type { Catalogue } from '#analysis/queries/catalogue.ts';
import type { ChartData, ChartSpec } from '#analysis/queries/chart-spec.ts';
import type { EvidenceAge } from '#analysis/recheck/evidence-age.ts';
import { capitalise } from '#base/text.ts';
import { formatDay } from '#base/units.ts';
import type { AxisList } from '#files/chart/coverage-axis.ts';
import type { Provenance } from '#files/export/sidecar.ts';
import type { AnsweredQuery } from './run-queries.ts';

/** What the page of a report says about its origin. */
export interface ReportOrigin {
  readonly provenance: Provenance;
  /** Who collected the data: `Family, Given` for a person. Empty if nobody said so. */
  readonly collectors: readonly string[];
  /** What became of deleted tweets and unavailable accounts, in words. */
  readonly deleted: Text;
  /** The digest of the data behind the page. */
  readonly dataSha256: string;
  /** The name of the sidecar. */
  readonly sidecar: string;
}

/** How a report is read. */
export interface ReadOptions {
  readonly catalogue: Catalogue;
  /** Whether texts of deleted tweets and unavailable accounts are shown. */
  readonly includeDeleted: boolean;
  /** The age from which checks of tweets are old, in milliseconds; 30 days by default. */
  readonly olderThan?: number | undefined;
}

/** A report, ready to be written. */
export interface Report {
  /** Everything that the page shows, as data: what its digest is computed from. It does not depend on the time of the report. */
  readonly data: object;
  /** The saved queries that it ran. */
  readonly queries: readonly AnsweredQuery[];
  /** The numbers of texts that are left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** How old the evidence of deletions is, at the time of the report; undefined if it counts none. */
  readonly deletions?: EvidenceAge;
  /** Returns the page. */
  describe(origin: ReportOrigin): PageContent;
}

/** The content of a page, without HTML. Times are ISO 8601 in UTC. */

/** A part of a line: words of our own, or a value. */
export type Inline =
  | string
  /** A text that somebody else wrote, such as a name. Its direction does not affect its surroundings. */
  | { readonly name: string }
  | { readonly code: string }
  | { readonly time: string }
  | { readonly day: string }
  | { readonly count: number }
  | { readonly strong: string };

export type Text = Inline | readonly Inline[];

/** Why nothing, or not all, is shown. */
export type Absence =
  /** The data was collected, and nothing in it matches. */
  | 'no results'
  /** The data was never collected. */
  | 'not collected'
  /** A part of it was collected; crawls would collect more. */
  | 'collected in part'
  /** The service does not show the data. */
  | 'not available'
  /** It was collected, and a part was removed from the store. */
  | 'pruned'
  /** Tweets were not checked for long: deletions of them are not known. */
  | 'not checked';

export interface AbsenceBlock {
  readonly type: 'absence';
  readonly absence: Absence;
  readonly text: Text;
  /** The command that collects or checks the data. */
  readonly command?: string | undefined;
}

export interface TableColumn {
  readonly label: string;
  readonly isNumber?: boolean;
}

export interface TableBlock {
  readonly type: 'table';
  readonly caption: string;
  readonly columns: readonly TableColumn[];
  /** The first cell of a row is its header. */
  readonly rows: readonly (readonly Text[])[];
  readonly note?: Text | undefined;
}

export interface ChartBlock {
  readonly type: 'chart';
  readonly title: string;
  /** What the chart shows, and what its reader has to know. */
  readonly caption: Text;
  readonly data: ChartData & { readonly rows: readonly (readonly (string | number | null)[])[] };
  readonly spec: ChartSpec;
}

/** The time axis of a list. */
export interface AxisBlock {
  readonly type: 'axis';
  readonly caption: Text;
  readonly list: AxisList;
}

/** A figure that stands out. */
export interface Tile {
  readonly label: string;
  readonly value: string;
  readonly detail: Text;
  /** The share that a bar shows, from 0 to 1. */
  readonly share?: number | undefined;
}

export interface Post {
  readonly text: string;
  readonly meta: Text;
}

export type Block =
  | { readonly type: 'paragraph'; readonly text: Text }
  | { readonly type: 'heading'; readonly text: string }
  | { readonly type: 'facts'; readonly facts: readonly (readonly [label: string, value: Text])[] }
  | { readonly type: 'list'; readonly items: readonly Text[] }
  | { readonly type: 'tiles'; readonly tiles: readonly Tile[] }
  | { readonly type: 'posts'; readonly label: string; readonly posts: readonly Post[] }
  | { readonly type: 'quotation'; readonly text: Text }
  | { readonly type: 'code'; readonly label: string; readonly text: string }
  | AbsenceBlock
  | TableBlock
  | ChartBlock
  | AxisBlock;

export interface Section {
  /** The fragment of its address. */
  readonly id: string;
  readonly title: string;
  readonly blocks: readonly Block[];
}

/** A page: everything that it shows. */
export interface PageContent {
  /** The title of the document, and of a printed file. */
  readonly title: string;
  /** What the report is about: `Account`. */
  readonly kind: string;
  readonly heading: Text;
  /** Lines below the heading. */
  readonly lines: readonly Text[];
  readonly sections: readonly Section[];
  /** The last line. */
  readonly footer: Text;
}

/** Returns the parts of a text. */
export const toInlines = (text: Text): readonly Inline[] =>
  Array.isArray(text) ? (text as readonly Inline[]) : [text as Inline];

/** `on 2025-01-31`, or `from 2025-01-31 to 2025-02-28`. */
export const describeDays = (from: string, to: string): readonly Inline[] =>
  formatDay(from) === formatDay(to) ? ['on ', { day: from }] : ['from ', { day: from }, ' to ', { day: to }];

/** The maximum number of rows of a table of a page; the sidecar has all. */
const MAX_ROWS = 500;

/** A value of a row. */
type Value = string | number | bigint | null | undefined;

interface Rows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
}

export interface ShownColumns {
  /** The columns that are shown, with their labels; by default, all. */
  readonly columns?: Readonly<Record<string, string>> | undefined;
  /** What null means in a column; by default, nothing is shown. */
  readonly nulls?: Readonly<Record<string, string>>;
}

/** Returns a result as a table: ISO times are shortened, numbers are on the right, flags (`is_…`) are yes or empty. */
export function describeRows(result: Rows, caption: string, { columns, nulls = {} }: ShownColumns = {}): TableBlock {
  const names = columns ? Object.keys(columns) : result.columns;
  const indexes = names.map((name) => result.columns.indexOf(name));
  const shown = result.rows.slice(0, MAX_ROWS).map((row) => indexes.map((i) => row[i]));
  const isFlag = names.map((name) => /^(is|has)_/.test(name));
  return {
    type: 'table',
    caption,
    columns: names.map((name, i) => ({
      label: columns?.[name] ?? describeColumn(name),
      isNumber: !isFlag[i] && shown.every((row) => row[i] === null || isNumeric(row[i])),
    })),
    rows: shown.map((row) =>
      row.map((value, i) => (isFlag[i] ? (value ? 'yes' : '') : formatCell(value, nulls[names[i]!] ?? ''))),
    ),
    note:
      result.rows.length > shown.length
        ? [{ count: shown.length }, ' of ', { count: result.rows.length }, ' rows; the sidecar has all.']
        : undefined,
  };
}

const isNumeric = (value: Value): value is number | bigint => typeof value === 'number' || typeof value === 'bigint';

/** `created_at` is `Created`, `rest_id` is `Id`, `hour_utc` is `Hour (UTC)`. */
const describeColumn = (name: string): string =>
  capitalise(
    name
      .replace(/_at$/, '')
      .replace(/^(is|has)_/, '')
      .replace(/rest_id$/, 'id')
      .replace(/_utc$/, ' (UTC)')
      .replaceAll('_', ' '),
  );

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$/;

function formatCell(value: Value, empty: string): Text {
  if (value === null || value === undefined) return empty;
  if (isNumeric(value)) return { count: Number(value) };
  if (!TIME.test(value)) return { name: value };
  return /T00:00:00(\.0+)?Z$/.test(value) ? { day: value } : { time: value };
}
