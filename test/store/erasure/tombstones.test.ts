import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  hashAccount,
  hashHandle,
  listErasureKeys,
  prepareTombstones,
  recordErasure,
} from '#store/erasure/tombstones.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { all, emptyStore } from '../../world/worlds.ts';

const KEEP = { erasedAt: 1000, mentions: 'keep' } as const;

describe('tombstones', () => {
  test('know the ids and handles of forgotten accounts, and nobody else', () => {
    const db = emptyStore();
    const readTombstones = prepareTombstones(db);
    expect(readTombstones()).toBeUndefined();
    recordErasure(db, { restIds: ['7'], handles: ['Ada', 'Ada_Early'] }, KEEP);
    recordErasure(db, { restIds: ['8'], handles: ['Zoë'] }, { erasedAt: 2000, mentions: 'redact' });
    const tombstones = readTombstones()!;
    expect(['7', '8', '77', 'ada', 'Ada'].filter(tombstones.findAccount)).toEqual(['7', '8']);
    expect(['ada', 'ADA', 'ada_early', 'zoE\u0308', '7', 'ad'].map(tombstones.findHandle)).toEqual([
      'keep',
      'keep',
      'keep',
      'redact',
      undefined,
      undefined,
    ]);
  });

  test('keep the erasure of a handle that a second account had', () => {
    const db = emptyStore();
    recordErasure(db, { restIds: ['7'], handles: ['ada'] }, { erasedAt: 1, mentions: 'redact' });
    recordErasure(db, { restIds: ['8'], handles: ['ADA'] }, KEEP);
    expect(prepareTombstones(db)()!.findHandle('ada')).toBe('redact');
    expect(all(db, 'select erasure_id, count(*) n from _tombstones group by 1')).toEqual([
      { erasure_id: 1, n: 2 },
      { erasure_id: 2, n: 1 },
    ]);
  });

  test('of another process are known at once, also within a transaction', () => {
    const path = createStoreFile();
    using here = openDatabase(path);
    using there = openDatabase(path);
    const readTombstones = prepareTombstones(here);
    expect(readTombstones()).toBeUndefined();
    recordErasure(there, { restIds: ['7'], handles: ['ada'] }, KEEP);
    here.$client.exec('begin immediate');
    expect([readTombstones()?.findAccount('7'), readTombstones()?.findHandle('ada')]).toEqual(['keep', 'keep']);
    here.$client.exec('commit');
    recordErasure(there, { restIds: ['8'], handles: [] }, KEEP);
    expect(readTombstones()?.findAccount('8')).toBe('keep');
  });

  test('say nothing about whom without the key, which differs between stores', () => {
    const db = emptyStore();
    const other = emptyStore();
    const account = { restIds: ['1234567890'], handles: ['ada_of_the_study'] };
    for (const store of [db, other]) recordErasure(store, account, KEEP);
    const stored = JSON.stringify([all(db, 'select * from _erasures'), all(db, 'select * from _tombstones')]);
    expect(stored).not.toMatch(/1234567890|ada_of/i);
    expect(listErasureKeys(db)).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(listErasureKeys(other)).not.toEqual(listErasureKeys(db));
    const hashes = 'select hash from _tombstones order by hash';
    expect(all(other, hashes)).not.toEqual(all(db, hashes));
  });

  test('are SHA-256 of the key and a name, as the docs say', () => {
    const db = emptyStore();
    recordErasure(db, { restIds: ['7'], handles: ['Ada'] }, KEEP);
    const [key] = listErasureKeys(db) as [string];
    const hashes = ['account:7', 'handle:ada'].map((name) =>
      createHash('sha256')
        .update(key + name)
        .digest('hex'),
    );
    expect(hashes).toEqual([hashAccount(key, '7'), hashHandle(key, 'ADA')]);
    expect(all(db, 'select hash from _tombstones').map(({ hash }) => hash)).toEqual(hashes.toSorted());
  });
});
