import type { DiskEvent } from '../../engine/outage/disk-guard.ts';
import { formatBytes, formatDuration } from '../terminal/format.ts';

/** What people are told of a disk without room. */
export function describeDiskEvent(event: DiskEvent): string {
  if (event.event === 'enough') return `the disk has room again after ${formatDuration(event.lasted)}: crawls go on`;
  const why =
    event.event === 'low'
      ? `the disk has ${formatBytes(event.free)} left, and ${formatBytes(event.minFree)} are kept free (TRAWL_MIN_FREE_DISK)`
      : `the disk takes no more: ${event.why}`;
  return `${why}. Crawls pause until there is room`;
}
