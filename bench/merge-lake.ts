import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import type { LakeCost, ShipLakeArguments } from './ship-lake.ts';

/** Merges the stores of a lake into a store, or the facts that it lacks. */

export interface MergeReport extends LakeCost {
  /** The rows of the store by table. */
  readonly rows: Readonly<Record<string, number>>;
}

const { dist, db: path, lake: address } = readArguments<ShipLakeArguments>();
const { systemClock } = await load(dist, 'base/clock.js');
const { readLakeContent } = await load(dist, 'lake/files/lake-content.js');
const { openLake } = await load(dist, 'lake/files/open-lake.js');
const { mergeStores } = await load(dist, 'lake/merge/merge-stores.js');
const { omitForgotten } = await load(dist, 'lake/purge-lake.js');

(await load(dist, 'library/run/limit-heap-growth.js')).limitHeapGrowth();
const { signal } = new AbortController();
const before = process.cpuUsage();
const content = await readLakeContent(await openLake(address, {}));
const { rows } = await mergeStores({
  path,
  now: systemClock.now,
  signal,
  onProgress: () => undefined,
  ...(await omitForgotten(content, signal)),
});
const { user, system } = process.cpuUsage(before);
const peakRssMb = process.resourceUsage().maxRSS / 1024;
report({ cpuMs: (user + system) / 1000, peakRssMb, rows } satisfies MergeReport);
