import { statSync } from 'node:fs';
import { formatBytes, formatDaysLeft } from '#base/units.ts';
import type { Db } from '#store/sqlite/database.ts';
import { type MinFreeSpace, minFreeBytes, readDiskSpace } from '#store/sqlite/disk-space.ts';
import { estimateGrowth } from './crawls/throughput.ts';
import type { DiskAnswer } from './status/status-model.ts';

/** Growth that leaves space for fewer days than these is reported. */
const SCARCE_DAYS = 14;

/**
 * Returns what is said of the space on the disk of a store.
 *
 * @param db undefined if there is no store yet.
 * @param setting the space to keep free; undefined for the default.
 * @throws a system error.
 */
export function readDisk(path: string, db: Db | undefined, setting: MinFreeSpace | undefined, now: number): DiskAnswer {
  const { free, total } = readDiskSpace(path);
  return answerDisk(free, minFreeBytes(setting, total), db && estimateGrowth(db, now));
}

/** @param free in bytes @param growth in bytes per day; undefined for a store that is younger than a day */
export function answerDisk(free: number, minFree: number, growth?: number): DiskAnswer {
  const daysLeft = growth ? Math.max(0, free - minFree) / growth : null;
  const isScarce = daysLeft !== null && daysLeft < SCARCE_DAYS;
  return {
    state: free < minFree ? 'low' : isScarce ? 'scarce' : 'enough',
    label: 'Disk',
    sentence: `${formatBytes(free)} free${describeOutlook({ free, minFree, growth, daysLeft })}`,
    command: null,
    freeBytes: free,
    minFreeBytes: minFree,
    growthBytesPerDay: growth ?? null,
    daysLeft: daysLeft === null ? null : Math.floor(daysLeft),
  };
}

interface Outlook {
  readonly free: number;
  readonly minFree: number;
  readonly growth: number | undefined;
  readonly daysLeft: number | null;
}

function describeOutlook({ free, minFree, growth, daysLeft }: Outlook): string {
  if (free < minFree) return `, less than the minimum of ${formatBytes(minFree)}: crawls pause`;
  if (growth === undefined) return '; growth unknown: less than a day of data';
  if (daysLeft === null) return '; the store has not grown recently';
  return `; the store grows by about ${formatBytes(growth)} a day: enough for ${formatDaysLeft(daysLeft)}`;
}

/** The sizes of a store's files, in bytes. */
export interface StoreSize {
  readonly bytes: number;
  /** The part of the database file that is free for new rows. `trawl prune --vacuum` returns it to the disk. */
  readonly freePageBytes: number;
  /** The write-ahead log: it is copied into the database, and is removed when the last process closes the store. */
  readonly walBytes: number;
}

export function measureStore({ $client }: Db, path: string): StoreSize {
  const pragma = (name: string): number => $client.pragma(name, { simple: true }) as number;
  return {
    bytes: sizeOf(path),
    freePageBytes: pragma('freelist_count') * pragma('page_size'),
    walBytes: sizeOf(`${path}-wal`),
  };
}

const sizeOf = (file: string): number => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
