import { prepareOutbox } from '#store/outbox/outbox.ts';
import { readShipTargets } from '#store/outbox/ship-targets.ts';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';
import { createFactEraser } from './erase-facts.ts';
import { type ImportedErasures, readImportedErasures, setImportedErasures, settleErasures } from './pending-erasure.ts';
import { collectIdentity } from './selection/erased-identity.ts';
import { findForgotten } from './selection/find-forgotten.ts';
import { selectRows } from './selection/select-pages.ts';
import { recordTombstoneFacts } from './tombstone-facts.ts';
import { addTombstones, identifyAccount, prepareTombstones, type Tombstone } from './tombstones.ts';

/**
 * Adds the tombstones of other databases. Other targets get them, too. If the store has nothing of these accounts, the
 * erasures are finished. @param entries of `ImportedErasures`
 */
export function importErasures(
  db: Db,
  tombstones: readonly Tombstone[],
  entries: ImportedErasures['entries'],
  at: number,
): void {
  const { $client } = db;
  const isDue = $client
    .transaction(() => {
      const before = readImportedErasures($client);
      const hasAdded = addTombstones(db, tombstones);
      const imported = { entries: { ...before.entries, ...entries }, isDue: before.isDue || hasAdded };
      setImportedErasures($client, imported);
      if (hasAdded && readShipTargets(db).length > 1) recordTombstoneFacts(db, prepareOutbox(db), at);
      return imported.isDue;
    })
    .immediate();
  if (!isDue) return;
  identifyHolders(db, at);
  if (findForgotten(db).length === 0) $client.transaction(() => settleErasures(db, at))();
}

/** Finds the stored accounts of handles that other databases erased without an id: their tombstones are facts. */
export function identifyHolders(db: Db, at: number): void {
  const { $client } = db;
  const tombstones = prepareTombstones(db)();
  const users = $client
    .prepare<[], [string, string]>('select rest_id, screen_name from users where screen_name is not null')
    .raw();
  const holders: [restId: string, handle: string][] = [];
  for (const [restId, handle] of users.iterate())
    if (tombstones?.findHandle(handle) && !tombstones.findAccount(restId)) holders.push([restId, handle]);
  $client
    .transaction(() => {
      const hashes = holders.flatMap(([restId, handle]) => identifyAccount(db, restId, handle, true));
      if (hashes.length > 0) recordTombstoneFacts(db, prepareOutbox(db), at, hashes);
    })
    .immediate();
}

/** Returns a function that erases from facts, as JSON by table, the accounts whose rows are still in a store. */
export function createDueEraser(path: string): (facts: string) => string {
  using db = openReadOnly(path);
  const { $client } = db;
  if (!readImportedErasures($client).isDue) return (facts) => facts;
  const erasers = findForgotten(db).map(({ accounts, mentions }) =>
    createFactEraser(selectRows($client, collectIdentity($client, accounts)), mentions),
  );
  return (facts) => erasers.reduce((left, erase) => erase(left), facts);
}
