import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import Database from 'better-sqlite3';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { migrate } from 'drizzle-orm/better-sqlite3/migrator';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/store/database.ts';
import type { RawPage } from '../../src/store/messages.ts';
import { unpackBody } from '../../src/store/raw.ts';
import { tempDir } from '../support/temp.ts';

/** A store as the first so many migrations made it. */
function oldStore(migrations: number): { path: string; client: Database.Database } {
  const folder = tempDir();
  cpSync(join(import.meta.dirname, '../../migrations'), folder, { recursive: true });
  const journal = join(folder, 'meta', '_journal.json');
  const all = JSON.parse(readFileSync(journal, 'utf8')) as { entries: unknown[] };
  writeFileSync(journal, JSON.stringify({ ...all, entries: all.entries.slice(0, migrations) }));
  const path = join(folder, 'store.db');
  const client = new Database(path);
  migrate(drizzle({ client }), { migrationsFolder: folder });
  return { path, client };
}

test('a store from before the write path is brought up to date with all that it holds', async () => {
  const { path, client } = oldStore(3);
  client.exec(`
    insert into users (id, rest_id, screen_name, first_seen, seen_at, summary_at) values (1, '10', 'ada', 5, 9, 8), (2, '20', 'bob', 6, 7, null);
    update users set screen_name = 'ada_l', seen_at = 12 where id = 1;
    insert into follows (followee_id, follower_id, first_seen, last_seen, ended) values (1, 2, 6, 7, null), (2, 1, 5, 6, 8);
  `);
  client
    .prepare(
      "insert into raw_pages (crawl_id, endpoint, parameters, status, fetched_at, hash, body) values (1, 'followers', '{}', 200, 5, 'h', ?)",
    )
    .run(deflateSync('{"data":1}'));
  client.close();

  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(
    db.prepare('select user_id, seen_at, summary_at, changed_at from users join users_seen on user_id = id').all(),
  ).toEqual([
    { user_id: 1, seen_at: 12, summary_at: 8, changed_at: 12 },
    { user_id: 2, seen_at: 7, summary_at: null, changed_at: 6 },
  ]);
  expect(db.prepare('select * from follows').all()).toEqual([
    { id: 1, followee_id: 2, follower_id: 1, first_seen: 5, last_seen: 6, ended: 8, first_missed: 8, seen_in: 0 },
    { id: 2, followee_id: 1, follower_id: 2, first_seen: 6, last_seen: 7, ended: null, first_missed: null, seen_in: 0 },
  ]);
  expect(db.prepare('select follower, followee from v_follows').all()).toHaveLength(2);
  expect(db.prepare("select known_by, seen_at from v_users where screen_name = 'ada_l'").get()).toEqual({
    known_by: 'summary',
    seen_at: '1970-01-01T00:00:00.012Z',
  });
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  const raw = db.prepare('select encoding, body from raw_pages').get() as RawPage;
  expect((await unpackBody(raw)).toString()).toBe('{"data":1}');
  // History goes on where it was.
  db.exec("update users set screen_name = 'ada', changed_at = 20 where id = 1");
  expect(db.prepare('select screen_name, last_seen, changed_at from user_history').all()).toEqual([
    { screen_name: 'ada', last_seen: 9, changed_at: 12 },
    { screen_name: 'ada_l', last_seen: 12, changed_at: 20 },
  ]);
});
