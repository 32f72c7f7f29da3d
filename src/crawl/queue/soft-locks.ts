import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { SECOND } from '#base/clock.ts';
import { isRunning } from '#base/temporary-files.ts';
import type { PendingCrawl } from '#store/schema/query-results.ts';

/** Lifetime of a soft lock without renewal, and the renewal interval. */
export const SOFT_LOCK_MS = 60 * SECOND;
export const SOFT_LOCK_RENEWAL_MS = 20 * SECOND;

/** A name of a run that lets other processes on the machine detect its death. */
export const createRunName = (): string => `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;

/** Whether a run holds a soft lock on the crawl. The lock of a dead process is void. */
export function isSoftLocked(
  { lockedBy, lockExpiresAt }: Pick<PendingCrawl, 'lockedBy' | 'lockExpiresAt'>,
  now: number,
): boolean {
  if (lockedBy === null || (lockExpiresAt ?? 0) <= now) return false;
  const [host, pid] = lockedBy.split('/');
  return host !== hostname() || isRunning(Number(pid));
}
