import { type SerialisedError, serialiseError } from '../serialised-errors.ts';
import type { CallResult } from './group-commit.ts';

/** Messages between the threads of a store: calls and replies. */

export interface WriterRequest {
  readonly id: number;
  /** An operation of the store, or a direct call of the writer thread. */
  readonly operation: string;
  readonly args: readonly unknown[];
}

export type WriterReply = { readonly id: number } & (
  | { readonly value: unknown }
  | { readonly failure: SerialisedError }
);

export function toReply(id: number, outcome: CallResult): WriterReply {
  return 'error' in outcome ? { id, failure: serialiseError(outcome.error) } : { id, value: outcome.value };
}
