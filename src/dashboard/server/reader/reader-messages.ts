import type { SerialisedError } from '../../../store/serialised-errors.ts';
import type { ChangeToken } from '../../../store/sqlite/change-detector.ts';
import type { ReadRequest, ReadSettings } from './read.ts';

/** The messages between the server and a reader process. */

/** The message to a reader process: the path of a read, and its request. */
export interface ReadOrder {
  readonly settings: ReadSettings;
  readonly path: string;
  readonly request: ReadRequest;
  /** Reads nothing if the store is still in this state. */
  readonly unless?: ChangeToken | undefined;
}

export interface ReadResult {
  /** The state of the store that was read. */
  readonly token: ChangeToken;
  /** As JSON text, which the server passes on; undefined if there is no such thing, or if the store has not changed. */
  readonly json: string | undefined;
  /** In place of JSON, for a file to download. */
  readonly file?: { readonly name: string; readonly mediaType: string; readonly text: string } | undefined;
}

export type ReadAnswer = ReadResult | { readonly error: SerialisedError };
