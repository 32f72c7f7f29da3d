import type { Pseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import type { Selection } from '#files/export/row-selection.ts';
import type { Snapshot } from '#files/export/snapshot.ts';
import type { S3Variables } from '#files/s3/s3-settings.ts';
import type { DatasetFormat } from './dataset-formats.ts';
import type { DatasetMetadata, Statements } from './metadata.ts';

export interface TableProgress {
  readonly table: string;
  /** The number of rows of the table so far. */
  readonly rows: number;
}

export interface DatasetRequest {
  readonly snapshot: Snapshot;
  /** The folder, or the address of another target: `s3://bucket/prefix`, `postgres://host/database`. */
  readonly path: string;
  /** The variables for clients of object storage. */
  readonly variables?: S3Variables | undefined;
  /** The format of the tables; `ids` for a dataset without content. */
  readonly format: DatasetFormat | 'ids';
  /** The number of parts of each table with an account that owns its rows; undefined for whole tables. */
  readonly partitions?: number | undefined;
  readonly selection: Selection;
  /** The title, authors and publisher, and the statements that replace those of the jobs. */
  readonly metadata: Omit<DatasetMetadata, 'statements'> & { readonly statements: Partial<Statements> };
  /** The command line, without the API key. */
  readonly command: string;
  readonly overwrite?: boolean | undefined;
  /** Replaces identities in all files. Statements of jobs are left out, since they may name accounts. */
  readonly pseudonyms?: Pseudonyms | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((progress: TableProgress) => void) | undefined;
}
