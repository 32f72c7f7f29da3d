import { copyFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { eraseAccounts, finishErasures } from '#store/erasure/erase-accounts.ts';
import type { Facts } from '#store/outbox/fact-tables.ts';
import { readEntries } from '#store/outbox/ship-targets.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { openLeased, pageOf, rows, user } from '../store/support.ts';
import { tempFile } from '../support/temp.ts';
import { addLake } from './shipped-store.ts';

const erase = (path: string, accounts: { readonly restIds: string[]; readonly handles: string[] }) =>
  eraseAccounts({ path, accounts, mentions: 'redact', now: () => 50, onProgress: () => undefined });

/** Stores a page that shows accounts with their handles. */
async function show(path: string, at: number, accounts: Readonly<Record<string, string>>): Promise<void> {
  await using store = openStore(path);
  const { id, lease } = await openLeased(store, at, { kind: 'followers', target: 'id:1' });
  const users = Object.entries(accounts).map(([restId, screenName]) => user(restId, { screenName }));
  await store.write.commitPage(pageOf(id, lease, at, { rows: rows({ users }) }));
}

/** The hashes of all tombstones of a store, and those among its facts that wait. */
function readHashes(path: string): { known: string[]; shipped: string[]; policies: unknown[] } {
  using db = openReadOnly(path);
  const facts = readEntries(db, 0, 1000).flatMap(({ facts: json }) => (JSON.parse(json) as Facts).erasures ?? []);
  const known = db.$client.prepare<[], string>('select hash from _tombstones order by hash').pluck().all();
  return {
    known,
    shipped: [...new Set(facts.map(([, , hash]) => hash as string))].toSorted(),
    policies: [...new Set(facts.map(([, , , mentions]) => mentions))],
  };
}

test('every hash that a store learns of is a fact: of erasures, new handles, and accounts that are found by a handle', async () => {
  const path = tempFile('mine.db');
  await show(path, 10, { 1: 'one', 2: 'two' });
  addLake(path, '/lake');
  await erase(path, { restIds: ['2'], handles: ['later'] });
  const erased = readHashes(path);
  expect(erased.known.length).toBeGreaterThan(2);
  expect(erased.shipped).toEqual(erased.known);
  expect(erased.policies).toEqual(['redact']);

  await show(path, 100, { 1: 'one', 2: 'Two_live' });
  const renamed = readHashes(path);
  expect(renamed.known).toHaveLength(erased.known.length + 1);
  expect(renamed.shipped).toEqual(renamed.known);

  await show(path, 200, { 1: 'one', 3: 'later' });
  const found = readHashes(path);
  expect(found.known).toHaveLength(renamed.known.length + 2);
  expect(found.shipped).toEqual(found.known);
});

test('erasures that an older copy of a store learns of from its file are facts, also of accounts that it never had', async () => {
  const path = tempFile('mine.db');
  await show(path, 10, { 1: 'one' });
  const copy = tempFile('mine.db');
  copyFileSync(path, copy);
  await erase(path, { restIds: ['7'], handles: ['seven'] });
  copyFileSync(`${path}.tombstones`, `${copy}.tombstones`);
  addLake(copy, '/lake');
  await finishErasures({ path: copy, now: () => 60, onProgress: () => undefined });
  const { known, shipped } = readHashes(copy);
  expect(known.length).toBeGreaterThan(1);
  expect(shipped).toEqual(known);
});
