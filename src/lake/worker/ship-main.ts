import { setPriority } from 'node:os';
import { systemClock } from '#base/clock.ts';
import { describeError } from '#base/errors.ts';
import { shipFacts } from '#lake/ship-facts.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import { serialiseError } from '#store/serialised-errors.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import type { ShipOrder, ShipReport } from './ship-beside.ts';
import { tryShipLock } from './ship-lock.ts';

/** A process that ships beside a worker (`ship-beside.ts` starts it), after crawls in the order of the system. */

/** Lower than that of the worker. */
const NICENESS = 10;

// A terminal sends these to the whole process group. The worker decides, and stops this process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);
// The worker has ended: what is not sealed does not count.
process.on('disconnect', () => process.exit());
setPriority(NICENESS);

const stop = new AbortController();
process.on('message', (order: ShipOrder) => {
  if (order === 'stop') return stop.abort();
  void ship(order)
    .catch(async (error: unknown) => {
      // A snapshot that was stopped begins again.
      if (!stop.signal.aborted) await report({ is: 'failed', error: serialiseError(error) });
    })
    .finally(() => process.disconnect());
});

const report = (message: ShipReport): Promise<void> =>
  new Promise((resolve) => {
    process.send!(message, () => resolve());
  });

async function ship({ path, address, variables, isOnce }: Exclude<ShipOrder, 'stop'>): Promise<void> {
  await using store = openStore(path);
  using db = openDatabase(path);
  const target = readShipTargets(db).find((each) => each.address === address);
  if (!target) return;
  using lock = tryShipLock(path, target.id);
  if (!lock) return report({ is: 'busy' });
  await report({ is: 'shipping' });
  await shipFacts({
    db,
    path,
    target,
    store: store.id,
    variables,
    clock: systemClock,
    signal: stop.signal,
    isOnce,
    onProgress: (progress) =>
      void report({
        is: 'sealed',
        ...progress,
      }),
    onRetry: (error, retryMs) =>
      void report({
        is: 'unavailable',
        error: describeError(error),
        retryMs,
      }),
  });
}
