import type { ChartData, ChartSpec } from '../../analysis/queries/chart-spec.ts';
import { formatDay } from '../../base/units.ts';
import type { AxisList } from '../chart/coverage-axis.ts';

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
