import { systemClock } from '#base/clock.ts';
import { describeError, TrawlError } from '#base/errors.ts';
import type { CommonOptions } from '#cli/shared/common-options.ts';
import { readStore } from '#cli/shared/existing-store.ts';
import {
  formatBytes,
  formatCount,
  formatDuration,
  hint,
  print,
  printJson,
  printNote,
  renderTable,
  toIso,
} from '#cli/terminal/print.ts';
import { listMissingErasures } from '#lake/apply-erasures.ts';
import type { ShippedStore } from '#lake/files/lake.ts';
import { readShipTargets, type ShipTarget } from '#store/outbox/ship-targets.ts';
import { readStoreId } from '#store/store-id.ts';
import { openTarget } from './edit-targets.ts';

/** Prints the targets of a database, what waits for them, and the stores that they have. */
export async function printShipStatus({ db, json }: CommonOptions): Promise<void> {
  const now = systemClock.now();
  const { found, storeId } = await readStore(db, (open) => ({
    found: readShipTargets(open),
    storeId: readStoreId(open),
  }));
  const targets = await Promise.all(
    found.map(async (target) => ({
      ...target,
      lagMs: target.waitingSince === null ? 0 : now - target.waitingSince,
      ...(await readStores(target, storeId)),
    })),
  );
  if (json) {
    return printJson({
      targets: targets.map(({ id: _id, lagMs, ...target }) => ({
        ...target,
        lagSeconds: Math.round(lagMs / 1e3),
      })),
    });
  }
  for (const { error } of targets) if (error !== null) printNote(error);
  if (targets.length === 0) return printNote(`no targets: ${hint('lake add')} adds one`);
  const rows = targets.map((target) => [
    target.address,
    formatCount(target.waitingEntries),
    `${formatBytes(target.waitingBytes)} of ${formatBytes(target.maxBacklogBytes)}`,
    target.shippedEntry === null ? 'snapshot is due' : formatDuration(target.lagMs),
    toIso(target.shippedAt) ?? 'never',
  ]);
  print(renderTable(['target', 'entries waiting', 'backlog', 'lag', 'last shipped'], rows, { right: [1] }));
  const stores = targets.flatMap(({ address, stores: found }) =>
    found.map(({ store, entry, sealedAt, snapshots }) => [
      address,
      store,
      String(entry),
      sealedAt,
      snapshots.map(({ takenAt }) => takenAt).join(', '),
    ]),
  );
  if (stores.length > 0)
    print(`\n${renderTable(['target', 'store', 'last entry', 'sealed', 'snapshots'], stores, { right: [2] })}`);
  for (const { store, missingErasures } of targets.flatMap((target) => target.stores))
    if (missingErasures.length > 0)
      printNote(`the store ${store} has not applied erasures of ${missingErasures.join(', ')}`);
}

/** What a target has of a store, with the stores whose erasures that has not applied. */
type ListedStore = ShippedStore & { readonly missingErasures: readonly string[] };

/** Returns what a target has of all stores, and why it cannot be read or shipped to. */
async function readStores(
  { address, shippedEntry }: ShipTarget,
  storeId: string | undefined,
): Promise<{ stores: readonly ListedStore[]; error: string | null }> {
  try {
    const stores = await (await openTarget(address)).readStores();
    const own = stores.find(({ store }) => store === storeId)?.entry ?? -1;
    const isLost = shippedEntry !== null && own < shippedEntry;
    return {
      stores: stores.map((store) => ({ ...store, missingErasures: listMissingErasures(store, stores) })),
      error: isLost
        ? `${address} lacks facts that were shipped there: ${hint('lake ship', '--once')} explains the remedy`
        : null,
    };
  } catch (error) {
    if (!(error instanceof TrawlError)) throw error;
    return { stores: [], error: describeError(error) };
  }
}
