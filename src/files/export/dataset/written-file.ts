import type { WrittenBytes } from '#files/export/output-file.ts';
import type { ResultColumn } from '#files/export/result-set.ts';
import type { SelectionQuery } from '#files/export/row-selection.ts';
import type { DatasetTable, ForeignKey } from './dataset-tables.ts';

/** A table of a dataset, or a list of ids. */
export interface DatasetFile {
  readonly name: string;
  readonly title: string;
  /** Its path in the folder, with a `*` for its partitions; its name in a database. */
  readonly file: string;
  readonly format: string;
  readonly mediaType: string;
  readonly rows: number;
  /** Its files: usually one, or one for each partition; none in a database. */
  readonly parts: readonly FilePart[];
  /** Undefined for a list of ids. */
  readonly table?: WrittenTable | undefined;
}

export interface FilePart extends WrittenBytes {
  /** Its path in the folder. */
  readonly file: string;
}

/** The size of files. */
export const countBytes = (parts: readonly FilePart[]): number => parts.reduce((sum, { bytes }) => sum + bytes, 0);

/** What the documents say of a table. */
export interface WrittenTable {
  readonly columns: readonly ResultColumn[];
  readonly primaryKey: DatasetTable['primaryKey'] | undefined;
  /** Those that hold for the written rows. */
  readonly foreignKeys: readonly ForeignKey[];
  /** The statement that returns its rows; undefined if they have pseudonyms. */
  readonly query: SelectionQuery | undefined;
}
