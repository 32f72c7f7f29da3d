import { TrawlError } from '../../base/errors.ts';
import type { FactTableName } from '../../store/outbox/fact-tables.ts';
import type { FactFilePlace } from './lake-files.ts';

/** What a lake has of a store. */
export interface ShippedStore {
  readonly store: string;
  /** The last entry that it has. */
  readonly entry: number;
  readonly sealedAt: string;
  /** The snapshots that shipping began with. What happened before is known only as far as their rows show it. */
  readonly snapshots: readonly { readonly entry: number; readonly takenAt: string }[];
  /** A digest of the entries up to the last one: another history of the store has another one. */
  readonly digest: string;
}

/** A complete file that has no name in the lake yet. */
export interface FinishedFile {
  readonly path: string;
  readonly place: FactFilePlace;
}

/** A lake, open for the files of one store. */
export interface LakeWriter extends AsyncDisposable {
  /** The folder of this machine in which files are written. */
  readonly partial: string;
  /** Gives files their names, and then writes the record of the store, from which on they count. */
  publish(files: readonly FinishedFile[], record: ShippedStore): Promise<void>;
}

/** Parquet files of facts by their paths, and a record of each store: in a folder, or in object storage. */
export interface Lake {
  /** Creates its place, unless it is there. @throws TrawlError if files cannot be written there */
  prepare(): Promise<void>;
  /**
   * Opens it for the files of a store. What a killed process left unsealed is deleted.
   * @param scratch a folder beside the store, for files that are not in the lake yet
   * @throws TrawlError
   */
  openWriter(store: string, scratch: string): Promise<LakeWriter>;
  /** Returns what it has of a store; undefined if it has nothing. @throws TrawlError if the record is damaged */
  readStore(store: string): Promise<ShippedStore | undefined>;
  /** Returns what it has of all stores, sorted by their ids. */
  readStores(): Promise<readonly ShippedStore[]>;
  /** Returns the paths of the files of a table. */
  list(table: FactTableName): Promise<readonly string[]>;
  read(path: string): Promise<Uint8Array>;
  /** Replaces a file by one of this machine, which goes. Readers see either the old or the new one. */
  replace(path: string, file: string): Promise<void>;
  /** A folder of this machine for files that replace others, which is there while the lock is held. */
  readonly scratch: string;
  /** Takes the lock of the process that replaces files, as far as there is one; undefined if another process has it. */
  lock(): Disposable | undefined;
}

/** A lake does not answer, or the connection is lost: the same call may succeed later. Nothing of the batch counts. */
export class TargetUnavailableError extends TrawlError {
  override readonly name = 'TargetUnavailableError';
}
