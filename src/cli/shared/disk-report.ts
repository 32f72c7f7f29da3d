import { type DiskReport, isLow } from '../../analysis/disk-report.ts';
import { describeBacklog, type DiskEvent } from '../../engine/outage/disk-guard.ts';
import { formatBytes, formatDuration } from '../terminal/format.ts';
import { hint } from './command-hints.ts';

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
    return `there is enough space again after ${formatDuration(event.lasted)}: crawls resume`;
  if (event.event === 'backlog')
    return `${describeBacklog(event)}. Crawls pause until ${hint('ship run')} has shipped some`;
  const why =
    event.event === 'low'
      ? `the disk has ${formatBytes(event.free)} free, less than TRAWL_MIN_FREE_DISK (${formatBytes(event.minFree)})`
      : `the disk is full: ${event.why}`;
  return `${why}. Crawls pause until there is enough free space`;
}
