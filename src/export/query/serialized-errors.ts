import { TrawlError, UsageError } from '../../errors.ts';
import { describeSqliteError } from '../../store/sqlite/database-errors.ts';
import type { SerializedError } from './query-request.ts';

/** Returns what the other process needs to throw the same error. */
export function serializeError(thrown: unknown): SerializedError {
  if (!(thrown instanceof Error)) return { kind: 'bug', message: String(thrown) };
  const error = describeSqliteError(thrown) ?? thrown;
  const { message, stack } = error;
  if (!(error instanceof TrawlError)) return { kind: 'bug', message, stack };
  const { hint, command } = error;
  return { kind: error instanceof UsageError ? 'usage' : 'expected', message, hint, command };
}

/** Returns the error to throw: a UsageError, a TrawlError, or an Error with the stack of the other process. */
export function deserializeError({ kind, message, hint, command, stack }: SerializedError): Error {
  if (kind === 'usage') return new UsageError(message, { hint, command });
  if (kind === 'expected') return new TrawlError(message, { hint, command });
  const bug = new Error(message);
  if (stack !== undefined) bug.stack = stack;
  return bug;
}
