import type { ResultSet } from '../result-set.ts';

/** What a format writes to: a file, or standard output. */
export interface Sink {
  /** Writes a chunk. Resolves when the next one may be written. */
  write(chunk: string | Uint8Array): Promise<void>;
}

/** A file format of rows. */
export interface Format {
  /** The extensions of its files, without a dot; the first is its name in `--format`. */
  readonly extensions: readonly string[];
  readonly mediaType: string;
  /** Whether it is text, which may be printed. */
  readonly isText: boolean;
  /** The maximum of rows; undefined if there is none. */
  readonly maxRows?: number | undefined;
  /**
   * Writes all rows. Calls `onRows` with the number of rows so far, about once per 10,000 rows.
   * Returns the number of rows. @throws TrawlError if the format cannot hold the rows
   */
  write(result: ResultSet, sink: Sink, onRows?: (rows: number) => void): Promise<number>;
}
