import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';

/** Ships waiting facts of a store to a folder, which becomes a target of the store before its first crawl. */

export interface ShipLakeArguments {
  readonly dist: string;
  readonly db: string;
  /** The folder. */
  readonly lake: string;
}

export interface LakeCost {
  /** User and system time of all threads. */
  readonly cpuMs: number;
  readonly peakRssMb: number;
}

const { dist, db: path, lake: address } = readArguments<ShipLakeArguments>();
const { systemClock } = await load(dist, 'base/clock.js');
const { openLake } = await load(dist, 'lake/files/open-lake.js');
const { shipFacts } = await load(dist, 'lake/ship-facts.js');
const { addShipTarget, readShipTargets } = await load(dist, 'store/outbox/ship-targets.js');
const { openDatabase } = await load(dist, 'store/sqlite/database.js');
const { openStore } = await load(dist, 'store/store.js');

{
  await using store = openStore(path);
  using db = openDatabase(path);
  await (await openLake(address, {})).prepare();
  addShipTarget(db, { address, at: systemClock.now() });
  const before = process.cpuUsage();
  await shipFacts({
    db,
    path,
    store: store.id,
    target: readShipTargets(db)[0]!,
    variables: {},
    clock: systemClock,
    signal: new AbortController().signal,
    isOnce: true,
  });
  const { user, system } = process.cpuUsage(before);
  const peakRssMb = process.resourceUsage().maxRSS / 1024;
  report({ cpuMs: (user + system) / 1000, peakRssMb } satisfies LakeCost);
}
