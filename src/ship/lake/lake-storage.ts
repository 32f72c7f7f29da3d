import type { ShippedStore } from '../targets/fact-target.ts';
import type { FactFilePlace } from './lake-files.ts';

/** A complete file that has no name in the lake yet. */
export interface FinishedFile {
  readonly path: string;
  readonly place: FactFilePlace;
}

/** Where a store's files get their names: a folder, or object storage. */
export interface LakeStorage {
  /** The folder on this machine in which files are written. */
  readonly partial: string;
  /** Gives files their names, and then writes the record of the store, from which on they count. */
  publish(files: readonly FinishedFile[], record: ShippedStore): Promise<void>;
}
