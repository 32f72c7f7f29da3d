import { statSync } from 'node:fs';
import { formatBytes, formatDaysLeft } from '../base/units.ts';
import type { Db } from '../store/sqlite/database.ts';
import { type MinFreeSpace, minFreeBytes, readDiskSpace } from '../store/sqlite/disk-space.ts';
import { estimateGrowth } from './crawls/growth.ts';

/** The disk space of a store, in bytes. */
export interface DiskReport {
  readonly free: number;
  /** Crawls pause while less is free. */
  readonly minFree: number;
  /** The growth of the store per day; undefined if it is younger than a day. */
  readonly growth: number | undefined;
  /** The days until crawls pause at this growth; undefined without a growth. */
  readonly daysLeft: number | undefined;
}

/**
 * @param db undefined if there is no store yet.
 * @param setting the space to keep free; undefined for the default.
 * @throws a system error.
 */
export function readDiskReport(
  path: string,
  db: Db | undefined,
  setting: MinFreeSpace | undefined,
  now: number,
): DiskReport {
  const { free, total } = readDiskSpace(path);
  const minFree = minFreeBytes(setting, total);
  const growth = db && estimateGrowth(db, now);
  return { free, minFree, growth, daysLeft: growth ? Math.max(0, free - minFree) / growth : undefined };
}

export const isLow = ({ free, minFree }: DiskReport): boolean => free < minFree;

/** The free space and how long it suffices, in words. */
export function describeDisk(disk: DiskReport): string {
  const { free, minFree, growth, daysLeft } = disk;
  if (isLow(disk)) return `${formatBytes(free)} free, less than the minimum of ${formatBytes(minFree)}: crawls pause`;
  if (growth === undefined) return `${formatBytes(free)} free; growth unknown: less than a day of data`;
  if (daysLeft === undefined) return `${formatBytes(free)} free; the store has not grown recently`;
  return `${formatBytes(free)} free; the store grows by about ${formatBytes(growth)} a day: enough for ${formatDaysLeft(daysLeft)}`;
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
