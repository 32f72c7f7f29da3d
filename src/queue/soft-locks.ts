import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { SECOND } from '../clock.ts';
import type { CrawlRow } from '../store/schema/messages.ts';

/** How long a claim holds without being renewed, and how often it is renewed. */
export const SOFT_LOCK_MS = 60 * SECOND;
export const SOFT_LOCK_RENEWAL_MS = 20 * SECOND;

/** The name of a run: who it is, so that others on the machine can see when it has died. */
export const createRunName = (): string => `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;

/** Whether a run other than `self` keeps the crawl to itself. The claim of a process that has died is void. */
export function isSoftLocked(crawl: Pick<CrawlRow, 'claimedBy' | 'claimedUntil'>, now: number, self?: string): boolean {
  const { claimedBy, claimedUntil } = crawl;
  if (claimedBy === null || claimedBy === self || (claimedUntil ?? 0) <= now) return false;
  const [host, pid] = claimedBy.split('/');
  return host !== hostname() || isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
