import { hint } from '#cli/terminal/print.ts';
import type { DiskEvent, ShortageEvent } from '#crawl/gates/disk-guard.ts';
import { describeDiskEvent } from '#crawl/gates/hold-events.ts';

/** What ends a shortage. */
const ADVICE = {
  low: () => 'there is more free space, or TRAWL_MIN_FREE_DISK is lower',
  backlog: () => `${hint('lake ship')} has shipped some`,
  full: () => 'there is free space',
} satisfies Record<ShortageEvent['event'], () => string>;

/** Describes a change of the disk space, with what ends a shortage. */
export const adviseOnDisk = (event: DiskEvent): string =>
  event.event === 'enough'
    ? describeDiskEvent(event)
    : `${describeDiskEvent(event)}. Crawls pause until ${ADVICE[event.event]()}`;
