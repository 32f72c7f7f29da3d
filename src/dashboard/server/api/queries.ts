/** What the page Queries shows: `/api/queries`. Absent values are null. */
export interface QueryListData {
  /** By topic and name. */
  readonly queries: readonly QueryLine[];
  /** What is wrong with files of queries, which are left out. */
  readonly problems: readonly string[];
}

export interface QueryLine {
  readonly name: string;
  /** The question that it answers. */
  readonly title: string;
  readonly topic: string;
  /** Whether it is a file of the user. */
  readonly isOwn: boolean;
}

/** A saved query and its form: `/api/queries/:name`. */
export interface QueryData extends QueryLine {
  readonly description: string;
  readonly parameters: readonly QueryParameterData[];
  /** What has to be collected, in words, with the command that collects it. */
  readonly needs: readonly { readonly text: string; readonly command: string | null }[];
  /** Whether its result is worth drawing. */
  readonly hasChart: boolean;
  readonly sql: string;
  /** The formats of files, by extension. */
  readonly formats: readonly string[];
}

/** A field of the form. */
export interface QueryParameterData {
  readonly name: string;
  readonly type: string;
  readonly description: string;
  readonly isRequired: boolean;
  /** As it would be typed. */
  readonly default: string | null;
  /** What a value looks like. */
  readonly form: string;
  /** The only values. */
  readonly choices: readonly string[] | null;
  /** Values that the store has. */
  readonly suggestions: readonly string[];
}

/** What the store lacks for a query. */
export interface MissingDataLine {
  readonly state: 'not collected' | 'collected in part' | 'not available' | 'pruned' | 'not checked';
  readonly text: string;
  /** What collects or checks it. */
  readonly command: string | null;
}

/** What is known of a run before its statement runs. */
export interface QueryCheck {
  /** What is wrong with values, by parameter: nothing is run. */
  readonly problems: Readonly<Record<string, string>>;
  /** Why nothing is run although the values are right: what they name is not in the store. */
  readonly refusal: { readonly text: string; readonly hint: string | null; readonly command: string | null } | null;
  readonly missing: readonly MissingDataLine[];
  /** Renamed and reused handles. */
  readonly notes: readonly string[];
  /** What runs it in a terminal. */
  readonly command: string;
}

export type QueryCell = string | number | boolean | null;

/** The result of a run: `/api/queries/:name/result`. Values are exact: texts of the service are made harmless when they are shown. */
export interface QueryResultData {
  readonly check: QueryCheck;
  /** The first rows, by column; null if nothing was run, or for a chart. */
  readonly rows: readonly Readonly<Record<string, QueryCell>>[] | null;
  /** Whether there are more rows. */
  readonly isCut: boolean;
  /** Why there are no rows, or no chart: `no results: why`. */
  readonly emptiness: string | null;
  /** The chart, as SVG. */
  readonly chart: string | null;
  /** When it was read, in milliseconds UTC, and how long that took. */
  readonly at: number;
  readonly durationMs: number;
}
