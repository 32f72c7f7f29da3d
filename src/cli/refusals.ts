import { describe, refusedByRedis, TrawlError } from '../errors.ts';
import { databaseRefusal } from '../store/database-errors.ts';

/** What was thrown on purpose, or comes from the database, Redis or the system, in words; undefined for a bug. */
export function refusalOf(thrown: unknown): TrawlError | undefined {
  if (thrown instanceof TrawlError) return thrown;
  return databaseRefusal(thrown) ?? (isOutside(thrown) ? new TrawlError(describe(thrown)) : undefined);
}

const isOutside = (thrown: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((thrown as NodeJS.ErrnoException | undefined)?.code ?? '') ||
  refusedByRedis(thrown) !== undefined;

/** A bug, with where it happened. */
export const bugInWords = (thrown: unknown): string =>
  `this is a bug: ${thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)}`;
