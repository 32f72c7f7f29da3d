import { setImmediate } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { createKey, listKeys, revokeKey } from '#twin/serve/quota/twin-keys.ts';
import { NOW, temporaryFile, temporaryStore, testTwin, verifierOf } from './support.ts';

describe('a key', () => {
  test('is 32 random bytes, shown once and stored as a hash', () => {
    const db = temporaryStore();
    const { key, record } = createKey(db, { name: 'a', now: NOW });
    expect(key).toMatch(/^trawl_[\w-]{43}$/);
    expect(record).toEqual({
      id: 1,
      name: 'a',
      prefix: key.slice(0, 12),
      limit: 1000,
      windowMs: 900_000,
      createdAt: NOW,
      revokedAt: null,
    });
    const stored = openConnection(`${db.$client.name}-quota`);
    onTestFinished(() => void stored.close());
    expect(JSON.stringify(stored.prepare('select * from keys').all())).not.toContain(key.slice(12));
    expect(JSON.stringify(listKeys(db))).not.toContain('hash');
  });

  test('is verified until the turn of the event loop after it is revoked', async () => {
    const db = temporaryStore();
    const verify = verifierOf(db);
    const { key, record } = createKey(db, { name: 'a', limit: 5, windowMs: 10, now: NOW });
    expect(verify(key)).toMatchObject({ id: record.id, limit: 5, windowMs: 10 });
    for (const other of ['', 'trawl_', record.prefix, `${key} `, key.toLowerCase()])
      expect(verify(other)).toBeUndefined();
    revokeKey(db, record.prefix, NOW + 1);
    await setImmediate();
    expect(verify(key)).toBeUndefined();
    expect(listKeys(db)).toMatchObject([{ revokedAt: NOW + 1 }]);
  });

  test('is revoked by its id or a unique prefix', () => {
    const db = temporaryStore();
    const [first, second] = [createKey(db, { name: 'a', now: NOW }), createKey(db, { name: 'b', now: NOW })];
    expect(() => revokeKey(db, 'trawl_', NOW)).toThrow('more than one active key matches trawl_');
    expect(() => revokeKey(db, '', NOW)).toThrow('no active key matches');
    expect(() => revokeKey(db, '3', NOW)).toThrow('no active key matches 3');
    expect(revokeKey(db, String(first.record.id), NOW).name).toBe('a');
    expect(() => revokeKey(db, '1', NOW)).toThrow('no active key matches 1');
    expect(revokeKey(db, second.record.prefix, NOW).name).toBe('b');
  });

  test('that another process creates or revokes counts at once', async () => {
    const file = temporaryFile();
    const twin = await testTwin({ db: temporaryStore(file) });
    const elsewhere = temporaryStore(file);
    const { key, record } = createKey(elsewhere, { name: 'late', now: NOW });
    const status = async () =>
      (await twin.request('/api/microblog/token-info', { headers: { 'X-API-Key': key } })).status;
    expect(await status()).toBe(200);
    revokeKey(elsewhere, String(record.id), NOW);
    expect(await status()).toBe(401);
  });
});
