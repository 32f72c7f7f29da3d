import { toExpectedError } from './run/expected-error.ts';

/** Converts errors of the database, Redis and the system to TrawlErrors; returns other errors unchanged. */
export const toTypedError = (thrown: unknown): Error =>
  toExpectedError(thrown) ?? (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** Calls `fn`. Its errors are converted by {@link toTypedError}. */
export async function withTypedErrors<T>(fn: () => Promise<T>): Promise<T> {
  try {
    return await fn();
  } catch (error) {
    throw toTypedError(error);
  }
}
