import type { ChartOptions } from '#analysis/queries/chart-spec.ts';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import type { IdentityKind } from '#files/export/pseudonyms/pseudonymiser.ts';
import type { PseudonymSettings } from '#files/export/pseudonyms/pseudonyms.ts';
import type { SavedQueryOrigin } from '#files/export/sidecar.ts';
import type { WrittenFile } from '#files/export/write-file.ts';
import type { SerialisedError } from '#store/serialised-errors.ts';

/** A statement of a user, and what becomes of its rows. */
export interface QueryRequest {
  /** The file of the store. */
  readonly db: string;
  readonly sql: string;
  readonly parameters: Readonly<Record<string, SqlValue>>;
  /** The name of a file format, or a path with its extension. */
  readonly format: string;
  /** The columns of the terminal, for a table. */
  readonly width?: number | undefined;
  /** What a chart shows, for the format svg. */
  readonly chart?: ChartOptions | undefined;
  /** The width of a chart in pixels. */
  readonly chartWidth?: number | undefined;
  /** Replaces identities. The statement then sees pseudonyms only, unless the contents of its columns are known. */
  readonly pseudonyms?: QueryPseudonyms | undefined;
  /** The file to write. Without one, the rows are written to a stream. */
  readonly output?: OutputRequest | undefined;
}

export interface QueryPseudonyms extends PseudonymSettings {
  /** For a statement of trawl: the table in `column-contents.ts` that has its columns. */
  readonly table?: string | undefined;
  /** For a statement of trawl that does not compare them: columns that are left out are null. */
  readonly hasEmptyColumns?: boolean | undefined;
  /** Parameters that are compared with pseudonyms, and what they name. */
  readonly identities?: Readonly<Record<string, IdentityKind>> | undefined;
}

export interface OutputRequest {
  readonly path: string;
  /** The command line, for the sidecar of the file. */
  readonly command: string;
  /** The saved query of the statement, for the sidecar. */
  readonly query?: SavedQueryOrigin | undefined;
  /** The numbers of rows that the statement leaves out, by reason, if it does not read all. */
  readonly excluded?: Readonly<Record<string, number>> | undefined;
  /** The maximum size of the file; none by default. */
  readonly maxBytes?: number | undefined;
}

export interface QueryResult {
  readonly rows: number;
  /** The written file, if the request has an output. */
  readonly file?: WrittenFile | undefined;
}

/** The message to a query process. */
export interface QueryOrder {
  readonly request: QueryRequest;
  /** The maximum of its resident memory, in bytes. */
  readonly memoryBytes: number | undefined;
}

/** A message of a query process: the number of rows so far, or its last one. */
export type QueryReport =
  | { readonly type: 'progress'; readonly rows: number }
  | { readonly type: 'result'; readonly result: QueryResult }
  | { readonly type: 'error'; readonly error: SerialisedError };
