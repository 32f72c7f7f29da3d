import type { DatasetRequest } from '#files/export/dataset/dataset-request.ts';
import type { PackageFacts } from '#files/export/dataset/documents/data-package.ts';
import type { ReadmeFacts } from '#files/export/dataset/documents/readme.ts';
import type { DatasetFile } from '#files/export/dataset/written-file.ts';
import type { Provenance } from '#files/export/sidecar.ts';

/** What the documents of a dataset say. */
export interface DatasetFacts {
  readonly readme: ReadmeFacts;
  readonly dataPackage: PackageFacts;
}

/** Where a dataset is written. Its functions throw TrawlError, or the reason of the signal. Disposal discards what is not committed. */
export interface DatasetTarget extends AsyncDisposable {
  /** Its address for messages and documents, without a password. */
  readonly address: string;
  /** Writes the tables, or the lists of ids, one after the other. */
  writeTables(request: DatasetRequest, provenance: Provenance): Promise<DatasetFile[]>;
  /** Writes the descriptions. */
  writeDocuments(facts: DatasetFacts): Promise<void>;
  /** Lets readers see the whole dataset. @throws UsageError if another process has written there meanwhile */
  commit(): Promise<void>;
}
