import type { ChartOptions } from '#analysis/queries/chart-spec.ts';
import type { ResultSet } from '#files/export/result-set.ts';

/** What a format writes to: a file, or standard output. */
export interface Sink {
  /** Writes a chunk. Resolves when it is written; the memory of the chunk may then be used again. */
  write(chunk: string | Uint8Array): Promise<void>;
}

export interface FormatOptions {
  /** Called with the number of rows so far, about once per 10,000 rows. */
  readonly onRows?: ((rows: number) => void) | undefined;
  /** Stops the writing: `write` rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The columns of the terminal, for a table. */
  readonly width?: number | undefined;
  /** Properties of the file, in a format that has some: the key-value metadata of Parquet. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  /** What a chart shows; the rest follows from the columns. */
  readonly chart?: ChartOptions | undefined;
  /** The width of a chart in pixels. */
  readonly chartWidth?: number | undefined;
}

/** A file format of rows. */
export interface Format {
  /** The extensions of its files, without a dot, the usual one first. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
  /** Whether it is text, which may be printed. */
  readonly isText: boolean;
  /** The maximum of rows; undefined if there is none. */
  readonly maxRows?: number | undefined;
  /** Writes all rows, and returns their number. @throws TrawlError if the format cannot hold them */
  write(result: ResultSet, sink: Sink, options?: FormatOptions): Promise<number>;
}
