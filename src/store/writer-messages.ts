import { StaleLeaseError } from '../errors.ts';
import type { Call, Outcome } from './group-commit.ts';

/** What crosses between the threads of a store: calls there, outcomes back. An error comes back as its words and class. */

export interface Request extends Call {
  readonly id: number;
}

interface Failure {
  readonly name: string;
  readonly message: string;
  readonly code: string | undefined;
  readonly hint: string | undefined;
}

export type Reply = { readonly id: number } & ({ readonly value: unknown } | { readonly failure: Failure });

export function outcomeMessage(id: number, outcome: Outcome): Reply {
  if (!('error' in outcome)) return { id, value: outcome.value };
  const { name, message, code, hint } = outcome.error as Error & { code?: string; hint?: string };
  return { id, failure: { name, message, code, hint } };
}

/** The error again: a stale lease is one that callers act upon. */
export function errorOf({ name, message, code, hint }: Failure): Error {
  if (name === 'StaleLeaseError') return new StaleLeaseError(message, { hint });
  return Object.assign(new Error(message), { code });
}
