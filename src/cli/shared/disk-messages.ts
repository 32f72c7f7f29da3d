import type { DiskEvent } from '../../engine/outage/disk-guard.ts';
import { size, span } from '../terminal/format.ts';

/** What people are told of a disk without room. */
export function diskInWords(event: DiskEvent): string {
  if (event.event === 'enough') return `the disk has room again after ${span(event.lasted)}: crawls go on`;
  const why =
    event.event === 'low'
      ? `the disk has ${size(event.free)} left, and ${size(event.minFree)} are kept free (TRAWL_MIN_FREE_DISK)`
      : `the disk takes no more: ${event.why}`;
  return `${why}. Crawls pause until there is room`;
}
