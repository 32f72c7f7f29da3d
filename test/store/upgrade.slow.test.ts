import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { type CrawlCheckpoint, NEW_CHECKPOINT, parseCheckpoint } from '../../src/kinds/checkpoint.ts';
import { MIGRATIONS_FOLDER, openDatabase, readMigrationTimes } from '../../src/store/sqlite/database.ts';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { TABLE_RENAMES } from '../../src/store/upgrade/renames.ts';
import { upgradeStore } from '../../src/store/upgrade/upgrade.ts';
import { createVerifier, listKeys } from '../../src/twin/quota/keys.ts';
import { tempFile } from '../support/temp.ts';
import { createOldStore, LAST_OF_0_1 } from './old-store.ts';

const rowsOf = (db: Database.Database, table: string): unknown[][] =>
  db.prepare<[], unknown[]>(`select * from "${table}"`).raw().all();

function open(path: string): Database.Database {
  const db = openConnection(path);
  db.pragma('foreign_keys = off');
  onTestFinished(() => void db.close());
  return db;
}

const schemaOf = (db: Database.Database): unknown[] =>
  db
    .prepare(
      "select type, name, tbl_name, sql from sqlite_schema where name not like '%migrations' order by type, name",
    )
    .raw()
    .all();

const upgrade = (path: string, more: object = {}) => upgradeStore({ path, onProgress: () => undefined, ...more });

test('an upgraded store has the schema of a new one, and every row as it was', () => {
  const path = createOldStore();
  const before = open(path);
  const rows = TABLE_RENAMES.map(({ from }) => rowsOf(before, from));
  before.close();
  expect(upgrade(path)).toEqual({ broken: [], removed: [] });

  const fresh = openDatabase(tempFile('new.db')).$client;
  const { $client: db } = openDatabase(path);
  onTestFinished(() => [db, fresh].forEach((one) => one.close()));
  expect(schemaOf(db)).toEqual(schemaOf(fresh));
  expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
  // Of these, values change: see below, and the secret that comes with the keys.
  const isChanged = ({ to }: { to: string }) => ['_tweet_stale_columns', '_settings'].includes(to);
  // Columns of later migrations are the last ones of their tables.
  const oldColumnsOf = (table: string, before: unknown[][]): unknown[][] =>
    rowsOf(db, table).map((row, i) => row.slice(0, before[i]?.length));
  const differing = TABLE_RENAMES.filter(
    (table, i) => !isChanged(table) && JSON.stringify(oldColumnsOf(table.to, rows[i]!)) !== JSON.stringify(rows[i]),
  );
  expect(differing).toEqual([]);
  expect(rowsOf(db, '_tweet_stale_columns')).toEqual([[1, 'in_reply_to_user_rest_id', 5]]);
  expect(rowsOf(db, '_run_usage_by_day')).toEqual([['2024-10-04', 1, 4, 2]]);
  expect(rowsOf(db, '_field_statistics')).toEqual([['search', '2025-01-31', 'tweet.text', 0, 10, 9]]);
  expect(db.prepare('select * from _endpoint_capabilities order by endpoint').raw().all()).toEqual([
    ['followers', 'followed', 7, null, null],
    ['following', null, null, 50, 10],
    ['search', 'ignored', 8, 20, 9],
  ]);
  // Full-text search and history go on.
  expect(db.prepare("select count(*) from tweets_fts where tweets_fts match 'text'").pluck().get()).toBe(3);
  db.exec("update tweets set text = 'moon', last_seen_at = 900 where id = 1");
  expect(db.prepare("select rowid from tweets_fts where tweets_fts match 'moon'").pluck().all()).toEqual([1]);
  expect(db.prepare('select text from tweet_history order by id desc limit 1').pluck().get()).toBe('text 1');
  for (const view of db.prepare("select name from sqlite_schema where type = 'view'").pluck().all())
    expect(() => rowsOf(db, view as string)).not.toThrow();
});

/** A checkpoint with all its members, and its JSON under the keys of trawl 0.1. */
const CHECKPOINT: Required<CrawlCheckpoint> = {
  cycleDetector: { firstPage: 'a', lastPage: 'b', recentCursors: ['c', '"guard":'], olderCursor: 'd', emptyPages: 1 },
  ...{ isHandleVerified: true, isHandleUnused: true },
  scan: {
    ...{ isFromTop: true, newest: { id: '9', at: 9 }, oldest: { id: '8', at: 8 }, tail: [{ id: '8', at: 8 }] },
    ...{ outlier: { id: '7', at: 10 }, pages: 2, items: 3 },
  },
  cursorOrigin: { endpoint: 'user-tweets', parameters: 'p', issuedAt: 5 },
  ...{ firstIds: ['9'], hasInheritedCursor: true, skippedDownTo: 4, listDigest: 'e', hasSkippedRejects: true },
  ...{ refusedCursors: ['f'], uncountedRefusals: 1 },
};
const OLD_CHECKPOINT = JSON.stringify({
  guard: { first: 'a', last: 'b', recent: ['c', '"guard":'], mark: 'd', empties: 1 },
  ...{ verified: true, followed: true },
  walk: {
    ...{ fromTop: true, newest: { id: '9', at: 9 }, oldest: { id: '8', at: 8 }, tail: [{ id: '8', at: 8 }] },
    ...{ apart: { id: '7', at: 10 }, pages: 2, items: 3 },
  },
  passport: { endpoint: 'user-tweets', parameters: 'p', issuedAt: 5 },
  ...{ firstIds: ['9'], jumped: true, tookOver: 4, listDigest: 'e', lacks: true, refused: ['f'], forgiven: 1 },
});

const readBaseline = (): string => readFileSync(join(MIGRATIONS_FOLDER, '0000_baseline.sql'), 'utf8');

/** A store with the tables of the first migration only. */
function createBaselineStore(more: string): string {
  const path = tempFile('store.db');
  const db = open(path);
  for (const statement of readBaseline().split('--> statement-breakpoint')) db.exec(statement);
  db.exec(`create table __drizzle_migrations (id integer primary key, hash text not null, created_at numeric);
    insert into __drizzle_migrations (hash, created_at) values ('', ${readMigrationTimes()[0]!}); ${more}`);
  db.close();
  return path;
}

test.each([
  [
    'trawl 0.1',
    () => {
      const path = createOldStore(`update crawls set guard = '${OLD_CHECKPOINT}' where id = 1;
        update crawls set guard = '{"walk":"lost"}' where id = 2; update crawls set guard = null where id = 3;
        update scheduled_jobs set job = '{"name":"j","class":"backfill"}'`);
      upgrade(path);
      return path;
    },
  ],
  [
    'the first migration',
    () =>
      createBaselineStore(`insert into crawls (id, kind, target, options, priority, state, created_at, updated_at, checkpoint)
        values (1, 'timeline', 'a', '{}', 'backfill', 'paused', 1, 1, '${OLD_CHECKPOINT}'),
          (2, 'timeline', 'b', '{}', 'backfill', 'paused', 1, 1, '{"walk":"lost"}'),
          (3, 'timeline', 'c', '{}', 'backfill', 'queued', 1, 1, null);
        insert into _scheduled_jobs (name, definition, schedule, scheduled_at)
        values ('j', '{"name":"j","class":"backfill"}', '{}', 1)`),
  ],
])('the checkpoints and jobs of a store of %s keep their values under the present keys', (_, create) => {
  const { $client: db } = openDatabase(create());
  onTestFinished(() => void db.close());
  const checkpoints = db.prepare<[], string | null>('select checkpoint from crawls order by id').pluck().all();
  expect(checkpoints.map(parseCheckpoint)).toEqual([CHECKPOINT, { scan: 'unordered' }, NEW_CHECKPOINT]);
  const jobs = db.prepare<[], string>('select distinct definition from _scheduled_jobs').pluck().all();
  expect(jobs.map((job) => JSON.parse(job))).toEqual([{ name: 'j', priority: 'backfill' }]);
});

test('keys of the twin move to the file beside the store once, and stay valid', () => {
  const path = createOldStore();
  const keys = open(`${path}-quota`);
  keys.exec(`create table keys (id integer primary key, store text not null, name text not null, hash text not null unique,
    prefix text not null, "limit" integer not null, window_ms integer not null, created_at integer not null, revoked_at integer);
    insert into keys values (3, 'another store', 'other', 'other hash', 'p', 1, 1, 1, null), (9, 'x', 'old', 'h', 'p', 1, 1, 1, 9)`);
  upgrade(path);
  expect(keys.prepare('select id, name, hash from keys order by id').raw().all()).toEqual([
    [3, 'other', 'other hash'],
    [9, 'old', 'h'],
    [10, 'mine', 'hash of mine'],
  ]);
  const db = openDatabase(path);
  onTestFinished(() => void db.$client.close());
  expect(listKeys(db)).toMatchObject([{ id: 10, name: 'mine', limit: 10, windowMs: 1000, revokedAt: null }]);
  const verifier = createVerifier(db);
  onTestFinished(() => verifier.close());
  expect(verifier.verify('not a key')).toBeUndefined();
});

test('keys that moved before an upgrade was interrupted belong to the store after the next one', () => {
  const path = createOldStore();
  const onProgress = (what: string): void => {
    if (what.startsWith('creating')) throw new Error('interrupted');
  };
  expect(() => upgrade(path, { onProgress })).toThrow('interrupted');
  expect(open(`${path}-quota`).prepare('select count(*) from keys').pluck().get()).toBe(2);
  upgrade(path);
  const db = openDatabase(path);
  onTestFinished(() => void db.$client.close());
  expect(listKeys(db).map(({ name }) => name)).toEqual(['mine', 'old']);
});

test('views, tables, indexes and triggers of the user survive; what cannot work any more is named', () => {
  const path = createOldStore(`
    create table notes (tweet_id integer references tweets (id), note text);
    create index notes_tweet on notes (tweet_id);
    create index tweets_mine on tweets (seen_at);
    create view mine as select screen_name, first_seen from users;
    create view theirs as select author, first_seen from v_tweets;
    create view plain as select author, text from v_tweets;
    create trigger noted after insert on notes begin update tweets set listed = 3 where id = new.tweet_id; end;
    create trigger lost after insert on notes begin insert into notes select id, bottom from v_coverage, tweets; end;
    alter table users add column mine text;
  `);
  expect(upgrade(path)).toEqual({ broken: ['theirs', 'lost'], removed: ['lost'] });
  const { $client: db } = openDatabase(path);
  onTestFinished(() => void db.close());
  expect(rowsOf(db, 'mine')).toHaveLength(3);
  expect(rowsOf(db, 'plain')).toHaveLength(3);
  db.exec("insert into notes values (1, 'a note')");
  expect(db.prepare('select seen_in_lists from tweets where id = 1').pluck().get()).toBe(3);
  expect(db.prepare("select sql from sqlite_schema where name = 'tweets_mine'").pluck().get()).toContain(
    'last_seen_at',
  );
  expect(db.prepare("select count(*) from pragma_table_info('users') where name = 'mine'").pluck().get()).toBe(1);
});

test('a store that is in use, or whose disk is too small, is refused and stays as it is', () => {
  const path = createOldStore();
  const user = open(path);
  user.pragma('journal_mode = wal');
  rowsOf(user, 'users');
  expect(() => upgrade(path)).toThrow(`${path} is in use`);
  expect(rowsOf(user, 'users_seen')).toHaveLength(3);
  user.close();
  const small = () => ({ free: 1e6, total: 1e9 });
  expect(() => upgrade(path, { readDisk: small })).toThrow('not enough space for the upgrade: 50 MB needed, 1 MB free');
  const backup = tempFile('backup.db');
  const enough = () => ({ free: 50e6, total: 1e9 });
  expect(() => upgrade(path, { readDisk: enough, backup })).toThrow(
    /^not enough space for the backup: \d+ MB needed, 50 MB free$/,
  );
  expect(existsSync(backup)).toBe(false);
  expect(rowsOf(open(path), 'users_seen')).toHaveLength(3);
});

test('a backup is the old store, with its permissions', () => {
  const path = createOldStore();
  const backup = tempFile('backup.db');
  const before = rowsOf(open(path), 'crawls');
  upgrade(path, { backup });
  expect(rowsOf(open(backup), 'crawls')).toEqual(before);
  expect(rowsOf(open(backup), 'users_seen')).toHaveLength(3);
  expect(statSync(backup).mode).toBe(statSync(path).mode);
  expect(() => upgrade(path, { backup })).toThrow(`${backup} exists already`);
});

test('killed half-way, an upgrade leaves the old store, and can be repeated', () => {
  const path = createOldStore();
  const module = join(import.meta.dirname, '../../src/store/upgrade/upgrade.ts');
  for (const steps of [2, 20, TABLE_RENAMES.length]) {
    const script = `import { upgradeStore } from ${JSON.stringify(module)}; let steps = 0;
      upgradeStore({ path: ${JSON.stringify(path)}, onProgress: () => { if ((steps += 1) === ${steps}) process.kill(process.pid, 'SIGKILL'); } });`;
    const { signal, stderr } = spawnSync(process.execPath, ['--import=tsx', '--input-type=module', '-e', script], {
      encoding: 'utf8',
    });
    expect([signal, stderr]).toEqual(['SIGKILL', '']);
    const db = openConnection(path);
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(rowsOf(db, 'users_seen')).toHaveLength(3);
    expect(rowsOf(db, 'v_absent_tweets')).toHaveLength(0);
    db.close();
  }
  expect(upgrade(path)).toEqual({ broken: [], removed: [] });
});

test('a store of trawl 0.1 is not opened before its upgrade; an older one says what to do; a new one is left alone', () => {
  expect(() => openDatabase(createOldStore())).toThrow('has the tables of trawl 0.1');
  expect(() => upgrade(createOldStore('', LAST_OF_0_1 - 1))).toThrow('has tables from before trawl 0.1 was finished');
  const path = tempFile('new.db');
  openDatabase(path).$client.close();
  expect(upgrade(path)).toEqual({ broken: [], removed: [] });
});
