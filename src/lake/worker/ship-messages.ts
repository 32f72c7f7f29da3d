import type { SerialisedError } from '../../store/serialised-errors.ts';
import type { LakeVariables } from '../s3/s3-settings.ts';

/** What a worker asks a process to do: to ship a store to a target. `stop`: to seal what has arrived, and to exit. */
export type ShipOrder =
  | 'stop'
  | {
      /** The store. */
      readonly path: string;
      readonly address: string;
      readonly variables: LakeVariables;
      /** Exit when nothing waits. */
      readonly isOnce: boolean;
    };

/** What a process that ships tells its worker. */
export type ShipReport =
  | { readonly is: 'shipping' }
  /** Another process ships to the target. */
  | { readonly is: 'busy' }
  | { readonly is: 'sealed'; readonly entries: number; readonly facts: number }
  | { readonly is: 'unavailable'; readonly error: string; readonly retryMs: number }
  | { readonly is: 'failed'; readonly error: SerialisedError };
