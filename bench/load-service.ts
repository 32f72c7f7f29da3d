import type { WorkloadSize } from './workload.ts';

/** What the load server and the measured processes agree on. */

export interface ServerOptions extends WorkloadSize {
  /** Delay of every response, except those of warm-up lists. */
  readonly latencyMs: number;
  /** Pages per warm-up list. */
  readonly warmPages: number;
  /** Instead of these lists, every target has one of `pagesPerTarget` pages, which is created as it is read. */
  readonly endless?: true | undefined;
}

/** Lists, and the edges and people on their pages. */
export interface ServedLists {
  readonly targets: readonly string[];
  readonly edges: number;
  readonly people: number;
}

export interface ServerReady extends ServedLists {
  readonly port: number;
  /** Other lists, to warm up the code. */
  readonly warm: ServedLists;
}

export interface ServerUsage {
  readonly pages: number;
  readonly cpuUs: number;
}

/** Returns the `ServerUsage`. */
export const USAGE_PATH = '/use';
/** Followed by the version of the pages to serve from now on: 0, or 1 with changed users. Returns the `ServerUsage`. */
export const VERSION_PATH = '/version/';
/** The response header with the next cursor, for clients that do not decode the body. Its name is no hint that a list goes on. */
export const NEXT_CURSOR = 'x-bench-following';
