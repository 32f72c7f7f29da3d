import { MINUTE } from '#base/clock.ts';

/** The maximum number of concurrent crawls of a priority. */
export const DEFAULT_CONCURRENCY = 16;

/** How long a run waits during an outage of the service or on a full disk, in ms. */
export const RUN_WAIT_MS = 5 * MINUTE;
/** The same wait, for a worker that exits when idle. */
export const IDLE_EXIT_WAIT_MS = 60 * MINUTE;
