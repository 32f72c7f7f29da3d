import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { describeError, describeRedisError, TrawlError } from '#base/errors.ts';
import { describeSqliteError } from '#store/sqlite/database-errors.ts';

/** Returns an expected error, or one of the database, Redis or the system, as a TrawlError; undefined for a bug. */
export function toExpectedError(thrown: unknown): TrawlError | undefined {
  if (isSuppressedError(thrown)) return toExpectedError(thrown.suppressed);
  if (thrown instanceof TrawlError) return describeSqliteError(thrown) ?? thrown;
  const cause = isUnopenedModule(thrown) ? Object.assign(new Error('EMFILE'), { code: 'EMFILE' }) : thrown;
  return describeSqliteError(cause) ?? (isOutside(cause) ? new TrawlError(describeError(cause)) : undefined);
}

/**
 * Whether an error was thrown during disposal after an earlier error, which is its `suppressed`. Node 20 has no class for such
 * errors.
 */
const isSuppressedError = (thrown: unknown): thrown is { readonly suppressed: unknown } =>
  thrown instanceof Error && thrown.name === 'SuppressedError' && 'suppressed' in thrown;

/** Whether Node reports an installed package as missing, which it does at the limit of open files. */
function isUnopenedModule(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || (thrown as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') return false;
  const [, path] = /^Cannot find (?:package|module) '([^']+)'/.exec(thrown.message) ?? [];
  return path !== undefined && existsSync(dirname(path));
}

const isOutside = (thrown: unknown): boolean =>
  ['EMFILE', 'ENFILE'].includes((thrown as NodeJS.ErrnoException | undefined)?.code ?? '') ||
  describeRedisError(thrown) !== undefined;
