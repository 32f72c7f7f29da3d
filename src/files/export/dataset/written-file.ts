import type { WrittenBytes } from '#files/export/output-file.ts';
import type { ResultColumn } from '#files/export/result-set.ts';
import type { SelectionQuery } from '#files/export/row-selection.ts';
import type { DatasetTable, ForeignKey } from './dataset-tables.ts';

/** A file of a dataset: a table, or a list of ids. */
export interface DatasetFile extends WrittenBytes {
  readonly name: string;
  readonly title: string;
  /** Its path in the folder. */
  readonly file: string;
  readonly format: string;
  readonly mediaType: string;
  readonly rows: number;
  /** Undefined for a list of ids. */
  readonly table?: WrittenTable | undefined;
}

/** What the documents say of a table. */
export interface WrittenTable {
  readonly columns: readonly ResultColumn[];
  readonly primaryKey: DatasetTable['primaryKey'] | undefined;
  /** Those that hold for the written rows. */
  readonly foreignKeys: readonly ForeignKey[];
  /** The statement that returns its rows; undefined if they have pseudonyms. */
  readonly query: SelectionQuery | undefined;
}
