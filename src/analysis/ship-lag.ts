import { MINUTE } from '#base/clock.ts';
import { pluralize } from '#base/text.ts';
import { formatBytes, formatDuration } from '#base/units.ts';
import type { ShipTarget } from '#store/outbox/ship-targets.ts';
import type { ShipAnswer } from './status/status-model.ts';

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

/** Returns what is said of what waits for a target. */
export const answerShipLag = (lag: ShipLag, now: number): ShipAnswer => ({
  state: isBacklogFull(lag) ? 'full' : lag.ms >= LONG_SHIP_LAG_MS ? 'late' : 'current',
  label: lag.address,
  sentence: describeShipLag(lag),
  command: lag.entries === 0 && !lag.isSnapshotDue ? null : 'lake ship',
  target: lag.address,
  waitingEntries: lag.entries,
  waitingBytes: lag.bytes,
  maxBacklogBytes: lag.maxBytes,
  waitingSince: lag.ms === 0 ? null : now - lag.ms,
  lagSeconds: Math.round(lag.ms / 1e3),
  isSnapshotDue: lag.isSnapshotDue,
});

/** What waits, in words. */
function describeShipLag(lag: ShipLag): string {
  const { entries, bytes, maxBytes, ms, isSnapshotDue } = lag;
  if (isSnapshotDue) return `its snapshot has been due for ${formatDuration(ms)}`;
  if (entries === 0) return 'nothing waits';
  const waiting = `${pluralize(entries, 'entry', 'entries')} (${formatBytes(bytes)} of ${formatBytes(maxBytes)}) ${entries === 1 ? 'waits' : 'wait'}`;
  return `${waiting}, the first for ${formatDuration(ms)}${isBacklogFull(lag) ? ': crawls pause' : ''}`;
}
