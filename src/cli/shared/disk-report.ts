import { type DiskReport, isLow } from '../../analysis/disk-report.ts';
import type { DiskEvent } from '../../engine/outage/disk-guard.ts';
import { formatBytes, formatCount, formatDuration } from '../terminal/format.ts';

export function describeDisk(disk: DiskReport): string {
  const { free, minFree, growth, daysLeft } = disk;
  if (isLow(disk)) return `${formatBytes(free)} free, less than the minimum of ${formatBytes(minFree)}: crawls pause`;
  if (growth === undefined) return `${formatBytes(free)} free; growth unknown: less than a day of data`;
  if (daysLeft === undefined) return `${formatBytes(free)} free; the store has not grown recently`;
  const days = daysLeft > 3650 ? 'more than 10 years' : `about ${formatCount(Math.floor(daysLeft))} days`;
  return `${formatBytes(free)} free; the store grows by about ${formatBytes(growth)} a day: enough for ${days}`;
}

export const toDiskJson = (disk: DiskReport) => ({
  freeBytes: disk.free,
  minFreeBytes: disk.minFree,
  isLow: isLow(disk),
  growthBytesPerDay: disk.growth ?? null,
  daysLeft: disk.daysLeft === undefined ? null : Math.floor(disk.daysLeft),
});

/** Describes a change of the disk space. */
export function describeDiskEvent(event: DiskEvent): string {
  if (event.event === 'enough')
    return `the disk has enough free space again after ${formatDuration(event.lasted)}: crawls resume`;
  const why =
    event.event === 'low'
      ? `the disk has ${formatBytes(event.free)} free, less than TRAWL_MIN_FREE_DISK (${formatBytes(event.minFree)})`
      : `the disk is full: ${event.why}`;
  return `${why}. Crawls pause until there is enough free space`;
}
