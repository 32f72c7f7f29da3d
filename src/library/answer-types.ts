import type { Answer } from '../analysis/answer.ts';
import type { RedisSettings, ServiceSettings, SqlRow, TrawlStore } from './types.ts';

/** The public types of answers and exports. */

export interface StatusRequest {
  readonly store: TrawlStore;
  /** The service and the key whose quota and outage are read from the queue. */
  readonly service?: ServiceSettings | undefined;
  readonly redis?: RedisSettings | undefined;
}

export interface CoverageRequest {
  readonly store: TrawlStore;
  /** A handle, `id:…` or a URL. */
  readonly account: string;
}

export interface FindRequest {
  readonly store: TrawlStore;
  /** Words, phrases and operators, as in `trawl find`. */
  readonly query: string;
  /** By default `tweets`. */
  readonly in?: 'tweets' | 'accounts' | undefined;
  /** The maximum number of results; 20 by default. */
  readonly limit?: number | undefined;
  /** Whether deleted tweets, and accounts that the service no longer shows, are found. */
  readonly includeDeleted?: boolean | undefined;
}

/** A part of a text that matches, in UTF-16 code units. */
export interface MatchedRange {
  readonly start: number;
  readonly end: number;
}

/** A found tweet. Times are milliseconds UTC. */
export interface TweetMatch {
  readonly restId: string;
  readonly text: string | null;
  readonly createdAt: number | null;
  readonly author: { readonly restId: string; readonly screenName: string | null; readonly name: string | null } | null;
  readonly favoriteCount: number | null;
  readonly retweetCount: number | null;
  readonly replyCount: number | null;
  readonly quoteCount: number | null;
  /** Set for a result that only `includeDeleted` finds. */
  readonly state: 'deleted' | 'account_unavailable' | null;
  readonly highlights: readonly MatchedRange[];
}

/** A found account. Times are milliseconds UTC. */
export interface AccountMatch {
  readonly restId: string;
  readonly screenName: string | null;
  readonly name: string | null;
  readonly description: string | null;
  readonly createdAt: number | null;
  readonly followersCount: number | null;
  readonly statusesCount: number | null;
  readonly state: 'deleted' | 'account_unavailable' | null;
  readonly highlights: Readonly<Record<'screenName' | 'name' | 'description', readonly MatchedRange[]>>;
}

/** The result of a search, best match first. */
export interface FoundItems {
  /** The number of matches, without a limit. */
  readonly matches: number;
  /** The matches that only `includeDeleted` finds. */
  readonly hidden: { readonly deletedTweets: number; readonly unavailableAccounts: number };
  readonly tweets: readonly TweetMatch[];
  readonly accounts: readonly AccountMatch[];
  /** The size and the limits of the result, and what it lacks, in sentences. */
  readonly notes: readonly string[];
}

export interface SavedQueryRequest {
  readonly store: TrawlStore;
  /** The name of a saved query. */
  readonly name: string;
  /** The values of its parameters, as they are typed on the command line: `{ account: 'nasa', since: '30d' }`. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  /** Folders with further queries. */
  readonly folders?: readonly string[] | undefined;
}

/** The result of a saved query. */
export interface SavedQueryAnswer {
  readonly rows: readonly SqlRow[];
  /** Renamed and reused handles among the values, in sentences. */
  readonly notes: readonly string[];
  /** What the query needs and the store lacks. Without it, no rows means that nothing matches. */
  readonly missing: readonly Answer[];
}

export interface ChartRequest extends SavedQueryRequest {
  /** In pixels. */
  readonly width?: number | undefined;
}

export interface ReportExportRequest {
  readonly store: TrawlStore;
  readonly subject: 'account' | 'search' | 'job';
  /** The account, the search string or the name of the job. */
  readonly target: string;
  /** The file to write. */
  readonly file: string;
  /** Who collected the data, for the citation: `Family, Given` for a person. */
  readonly collectors?: readonly string[] | undefined;
  /** Whether texts of deleted tweets and unavailable accounts are shown. */
  readonly includeDeleted?: boolean | undefined;
  /** Stops the report; no file is written. */
  readonly signal?: AbortSignal | undefined;
}

/** A written report. */
export interface ExportedReport {
  readonly file: string;
  /** The file with the figures: `<file>.meta.json`. */
  readonly sidecar: string;
  readonly bytes: number;
  /** The checksum of the page, and that of its data. */
  readonly sha256: string;
  readonly dataSha256: string;
}

/** The tables that {@link exportTable} writes. */
export type ExportTableName =
  | 'users'
  | 'tweets'
  | 'follows'
  | 'replies'
  | 'mentions'
  | 'hashtags'
  | 'links'
  | 'media'
  | 'coverage';

export interface TableExportRequest {
  readonly store: TrawlStore;
  readonly table: ExportTableName;
  /** The file to write. */
  readonly file: string;
  /** By default, the extension of the file selects the format. */
  readonly format?: 'csv' | 'xlsx' | 'jsonl' | 'parquet' | undefined;
  /** Only items of this time and later. */
  readonly since?: Date | undefined;
  /** Only items before this time. */
  readonly until?: Date | undefined;
  /** Only rows of these accounts: `nasa`, `@nasa`, `id:11348282` or a URL. */
  readonly accounts?: readonly string[] | undefined;
  /** Only rows of the members of a panel, and of `accounts`. */
  readonly panel?: string | undefined;
  /** A random sample of at most `size` rows. The same seed draws the same sample; by default, it is a new one. */
  readonly sample?: { readonly size: number; readonly seed?: string | undefined } | undefined;
  /** Whether deleted tweets, and the rows of accounts that the service no longer shows, are exported; false by default. */
  readonly includeDeleted?: boolean | undefined;
  /** Stops the export; no file is written. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of rows so far. */
  readonly onRows?: ((rows: number) => void) | undefined;
}

/** A written table. */
export interface ExportedTable {
  readonly file: string;
  /** The file with the provenance: `<file>.meta.json`. */
  readonly sidecar: string;
  readonly rows: number;
  readonly bytes: number;
  /** The checksum of the file, in hexadecimal digits. */
  readonly sha256: string;
  /** The rows of deleted tweets, and of accounts that the service no longer shows, which only `includeDeleted` exports. */
  readonly hidden: { readonly deletedTweets: number; readonly unavailableAccounts: number };
  /** The sample that was drawn; undefined for all rows. */
  readonly sample: { readonly size: number; readonly seed: string } | undefined;
  /** All rows are those of this time. */
  readonly snapshotAt: Date;
}
