import { MINUTE } from '../base/clock.ts';
import { pluralize } from '../base/text.ts';
import { formatBytes, formatDuration } from '../base/units.ts';
import type { ShipTarget } from '../store/outbox/ship-targets.ts';

/** What waits for a target of shipping. */
export interface ShipLag {
  readonly address: string;
  /** Pages, and what became of crawls. */
  readonly entries: number;
  readonly bytes: number;
  /** Crawls pause when so many bytes wait. */
  readonly maxBytes: number;
  /** How long the first of them has waited, in ms; 0 if nothing waits. */
  readonly ms: number;
  /** The target has nothing yet: a snapshot of the store's rows waits. */
  readonly isSnapshotDue: boolean;
}

/** A target that is further behind has a problem, or nobody ships to it: files of a lake are sealed after 15 minutes. */
export const LONG_SHIP_LAG_MS = 60 * MINUTE;

export const measureShipLag = (target: ShipTarget, now: number): ShipLag => ({
  address: target.address,
  entries: target.waitingEntries,
  bytes: target.waitingBytes,
  maxBytes: target.maxBacklogBytes,
  ms: target.waitingSince === null ? 0 : Math.max(0, now - target.waitingSince),
  isSnapshotDue: target.shippedEntry === null,
});

/** Whether crawls pause until the target has some of what waits. */
export const isBacklogFull = ({ bytes, maxBytes }: ShipLag): boolean => bytes >= maxBytes;

/** What waits, in words. */
export function describeShipLag(lag: ShipLag): string {
  const { entries, bytes, maxBytes, ms, isSnapshotDue } = lag;
  if (isSnapshotDue) return `its snapshot has been due for ${formatDuration(ms)}`;
  if (entries === 0) return 'nothing waits';
  const waiting = `${pluralize(entries, 'entry', 'entries')} (${formatBytes(bytes)} of ${formatBytes(maxBytes)}) ${entries === 1 ? 'waits' : 'wait'}`;
  return `${waiting}, the first for ${formatDuration(ms)}${isBacklogFull(lag) ? ': crawls pause' : ''}`;
}
