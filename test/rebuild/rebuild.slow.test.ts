import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { addMembers, createPanel, removeMembers } from '#store/panels/edit-panels.ts';
import { DERIVED_TABLES, MissingPagesError, rebuild, reprocessStore } from '#store/rebuild/rebuild.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { tempFile } from '../support/temp.ts';
import { contentsOf, derivedDigest } from './digest.ts';
import { repairBodies } from './repair-bodies.ts';
import { someWeeks } from './some-weeks.ts';

const again = (path: string) => rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });
const onTop = (path: string) =>
  reprocessStore({ path, signal: new AbortController().signal, onProgress: () => undefined });

/** Changes a store with SQL. */
function change(path: string, sql: string): void {
  const db = openConnection(path);
  db.pragma('foreign_keys = off');
  db.exec(sql);
  db.close();
}

/** The rows of a full-text index that match a word. */
function countMatches(path: string, index: string, word: string): number {
  const db = openConnection(path, { readonly: true });
  const found = db.prepare(`select count(*) from ${index} where ${index} match ?`).pluck().get(word) as number;
  db.close();
  return found;
}

describe('a rebuild', () => {
  it('restores identical tables from pages (invariant 10)', async () => {
    const { path } = await someWeeks();
    const before = contentsOf(path);
    expect(before['follows']!.some((row) => (row as { ended_at: number | null }).ended_at !== null)).toBe(true);
    expect(before['rejects']).toHaveLength(1);
    expect(before['crawl_sources']).not.toHaveLength(0);
    for (const { headers } of before['raw_pages'] as { headers: string }[]) expect(headers).toContain('"date"');
    expect(before['gaps']).toContainEqual(expect.objectContaining({ reason: 'interrupted' }));
    const digest = derivedDigest(path);
    change(path, [...DERIVED_TABLES].map((table) => `delete from ${table};`).join('\n'));
    expect(derivedDigest(path)).not.toBe(digest);

    expect(countMatches(path, 'tweets_fts', 'tweet')).toBe(0);
    expect(await again(path)).toBe(before['raw_pages']!.length);
    expect(contentsOf(path)).toEqual(before);
    expect(derivedDigest(path)).toBe(digest);
    expect(countMatches(path, 'tweets_fts', 'tweet')).toBe(before['tweets']!.length);
    // A second rebuild gives the same result.
    await again(path);
    expect(contentsOf(path)).toEqual(before);
  });

  it('keeps panels with their history (decision 16)', async () => {
    const { path } = await someWeeks();
    {
      using db = openDatabase(path);
      createPanel(db, { name: 'stars', description: 'of the study' }, 1000);
      const member = (restId: string, note: string) => ({ restId, handle: null, note });
      addMembers(db, 'stars', [member('1', 'first'), member('77', 'not stored')], 2000);
      removeMembers(db, 'stars', ['1'], 3000);
    }
    const before = contentsOf(path);
    expect(before['panel_members']).toHaveLength(2);
    await again(path);
    expect(contentsOf(path)).toEqual(before);
    await onTop(path);
    expect(contentsOf(path)).toMatchObject({ panels: before['panels'], panel_members: before['panel_members'] });
  });

  it('fills a new column without a request', async () => {
    const { path } = await someWeeks();
    const before = contentsOf(path);
    change(path, 'update tweets set created_at = null; update users set followers_count = null');
    await again(path);
    expect(contentsOf(path)).toEqual(before);
  });

  it('stores items that were rejected, without coverage for a crawl that joined another one (invariant 5)', async () => {
    const { path } = await someWeeks();
    const partial = (contentsOf(path)['crawls'] as { state: string; reason: string }[]).filter(
      ({ reason }) => reason === 'rejected_items',
    );
    expect(partial).toMatchObject([{ kind: 'timeline', state: 'partial', rejected_items: 1 }]);
    change(
      path,
      "create virtual table mine using fts5(text, content='tweets', content_rowid='id'); insert into mine (mine) values ('rebuild')",
    );
    repairBodies(path);
    await again(path);
    expect(countMatches(path, 'mine', 'mended')).toBe(1);
    const after = contentsOf(path);
    expect(after['rejects']).toEqual([]);
    expect(after['tweets']).toContainEqual(expect.objectContaining({ rest_id: '17', text: 'tweet mended' }));
    expect(after['crawls']).toContainEqual(
      expect.objectContaining({
        ...partial[0],
        ending: 'joined',
        rejected_items: 0,
        items: expect.any(Number),
        new_items: expect.any(Number),
        last_page_items: expect.any(Number),
      }),
    );
  });

  it('keeps tables, virtual tables, indexes, views and triggers of users', async () => {
    const { path } = await someWeeks();
    change(
      path,
      `create table "my notes" (id integer primary key, "a word" text); insert into "my notes" values (1, 'mine');
       create index notes_word on "my notes" ("a word"); create view mine as select * from "my notes" join users using (id);
       create table notes (word text, size as (length(word)) stored); insert into notes values ('one'), ('gone'), ('two');
       delete from notes where word = 'gone';
       create table counted (id integer primary key autoincrement, n); insert into counted values (7, 1); delete from counted;
       create virtual table own using fts5(title, body);
       insert into own values ('first', 'a whale'), ('second', 'a shark'); delete from own where rowid = 1;
       create virtual table of_tweets using fts5(text, content='tweets', content_rowid='id');
       insert into of_tweets (of_tweets) values ('rebuild');
       create trigger of_tweets_insert after insert on tweets begin
         insert into of_tweets (rowid, text) values (new.id, new.text); end;
       create view shouted as select rowid, upper(word) as word from notes;
       create virtual table of_view using fts5(word, content='shouted', content_rowid='rowid');
       insert into of_view (of_view) values ('rebuild');
       create virtual table contentless using fts5(text, content='');
       insert into contentless (rowid, text) values (3, 'plankton');
       create virtual table older using fts4(text); insert into older values ('krill');
       create virtual table places using rtree(id, x0, x1, y0, y1); insert into places values (1, 0, 1, 0, 1), (2, 5, 6, 5, 6);
       create virtual table words using fts5vocab('own', 'row');
       create index own_tweets on tweets (has_media) where has_media = 1`,
    );
    const ask = (file: string): unknown => {
      const db = openConnection(file);
      const all = (sql: string): unknown[] => db.prepare(sql).raw().all();
      const asked = {
        own: all('select rowid, * from own'),
        tweets: all("select count(*) from of_tweets where of_tweets match 'tweet'"),
        view: all("select rowid, word from of_view where of_view match 'two'"),
        contentless: all("select rowid from contentless where contentless match 'plankton'"),
        older: all("select docid, text from older where older match 'krill'"),
        places: all('select id from places where x0 > 4'),
        words: all('select term from words'),
        notes: [...all('select rowid, * from notes'), ...all('select * from "my notes"')],
        sequence: all("select seq from sqlite_sequence where name = 'counted'"),
        schema: all('select type, name, tbl_name, sql from sqlite_schema order by 1, 2'),
        sound: [...all('pragma integrity_check'), ...all("select rtreecheck('places')")],
      };
      for (const table of ['own', 'of_tweets', 'of_view'])
        db.exec(`insert into ${table} (${table}, rank) values ('integrity-check', 1)`);
      db.close();
      return asked;
    };
    const before = [contentsOf(path), ask(path)];
    expect(before[1]).toMatchObject({ sound: [['ok'], ['ok']], sequence: [[7]] });
    await again(path);
    expect([contentsOf(path), ask(path)]).toEqual(before);
    // Later rows are indexed as before.
    change(
      path,
      "insert into tweets (rest_id, text, first_seen_at, last_seen_at) values ('900', 'a tweet of tomorrow', 1, 1)",
    );
    expect(countMatches(path, 'of_tweets', 'tomorrow')).toBe(1);
  });

  it('keeps a virtual table whose module is not loaded, with its tables', async () => {
    const { path } = await someWeeks();
    change(
      path,
      'create table vectors_chunks (id integer primary key, body); insert into vectors_chunks values (1, 2)',
    );
    const db = openConnection(path).unsafeMode();
    const sql = 'CREATE VIRTUAL TABLE vectors using vec0(embedding float[4])';
    db.exec(`pragma writable_schema = on;
      insert into sqlite_schema (type, name, tbl_name, rootpage, sql) values ('table', 'vectors', 'vectors', 0, '${sql}')`);
    db.close();
    await again(path);
    const after = openConnection(path, { readonly: true });
    expect(after.prepare("select sql from sqlite_schema where name = 'vectors'").pluck().get()).toBe(sql);
    expect(after.prepare('select * from vectors_chunks').raw().all()).toEqual([[1, 2]]);
    after.close();
  });

  it('refuses a store whose bodies were not kept, and names the crawls', async () => {
    const { path } = await someWeeks({ keepRaw: false });
    const before = contentsOf(path);
    const error = await again(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MissingPagesError);
    const missing = (error as MissingPagesError).missing;
    expect(missing.map(({ kind, target }) => `${kind} ${target}`)).toContain('followers nasa');
    expect(missing.reduce((sum, { pages }) => sum + pages, 0)).toBe(
      (before['_steps'] as { response_roles: string }[]).filter((step) => step.response_roles !== '').length,
    );
    expect(contentsOf(path)).toEqual(before);
  });

  it('refuses a store with expired bodies, and can reprocess the others', async () => {
    const { path } = await someWeeks();
    change(path, 'delete from raw_pages where id in (2, 5)');
    const before = contentsOf(path);
    const refused = (await again(path).catch((error: unknown) => error)) as MissingPagesError;
    expect(refused.missing.map(({ pages }) => pages)).toEqual([1, 1]);
    expect(contentsOf(path)).toEqual(before);

    repairBodies(path);
    change(path, 'update tweets set has_media = null, created_at = null where cast(rest_id as int) between 5 and 10');
    expect(await onTop(path)).toMatchObject({ resolved: 1, newItems: 1, unreadable: 0 });
    const after = contentsOf(path);
    for (const table of [
      'follows',
      '_user_last_seen',
      'coverage',
      'gaps',
      '_list_snapshots',
      '_drift',
      '_field_statistics',
    ])
      expect({ [table]: after[table] }).toEqual({ [table]: before[table] });
    expect(after['users']).toEqual(before['users']);
    const unnumbered = (history: unknown[]) =>
      history.map((row) => JSON.stringify({ ...(row as object), id: 0 })).toSorted();
    expect(unnumbered(after['user_history']!)).toEqual(unnumbered(before['user_history']!));
    expect(after['tweets']).toHaveLength(before['tweets']!.length + 1);
    const unknown = (after['tweets'] as { rest_id: string; created_at: number | null }[]).filter(
      ({ created_at }) => created_at === null,
    );
    // Those that only a missing page showed.
    expect(unknown.map(({ rest_id }) => rest_id)).toEqual(['8']);
    expect(after['rejects']).toMatchObject([{ resolved_at: expect.any(Number) }]);
    expect(after['crawls']).not.toContainEqual(expect.objectContaining({ reason: 'rejected_items' }));
  });

  it('refuses a synthetic world, which has no pages', async () => {
    const path = tempFile('world.db');
    const db = openDatabase(path);
    await createWorld({ db, users: 20, seed: 1 });
    db.$client.close();
    await expect(again(path)).rejects.toThrow('no page is on record');
    expect(contentsOf(path)['users']).toHaveLength(20);
  });

  it('refuses a store with rows that come from no page', async () => {
    const { path } = await someWeeks();
    change(path, "insert into users (rest_id, first_seen_at) values ('strange', 1)");
    const before = contentsOf(path);
    await expect(again(path)).rejects.toThrow('missing: 1 users');
    expect(contentsOf(path)).toEqual(before);
  });

  it('refuses a store that is open elsewhere, and leaves no file behind', async () => {
    const { path } = await someWeeks();
    const reader = openConnection(path, { readonly: true });
    reader.prepare('select count(*) from users').get();
    await expect(again(path)).rejects.toThrow('is in use');
    reader.close();
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.rebuild-'))).toEqual([]);
    await again(path);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps the mode of the file, and removes files of a killed rebuild', async () => {
    const { path } = await someWeeks();
    const left = `${path}.rebuild-1`;
    change(left, 'create table half (made)');
    const { mode } = statSync(path);
    await again(path);
    expect(statSync(path).mode).toBe(mode);
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))).toEqual([basename(path)]);
  });
});

it('every table is either derived from pages or copied', () => {
  const path = tempFile('store.db');
  openDatabase(path).$client.close();
  const record = [
    '_crawl_tree',
    'crawl_sources',
    'crawls',
    '_endpoint_capabilities',
    '_endpoint_findings',
    '_job_accounts',
    '_quota_samples',
    'raw_pages',
    'requests',
    '_run_usage_by_day',
    '_run_targets',
    'runs',
    '_scheduled_jobs',
    '_settings',
    '_ship_outbox',
    '_ship_targets',
    '_steps',
    '_alerts',
    'panels',
    'panel_members',
    '_erasures',
    '_tombstones',
    'pruned_ranges',
    '_prunes',
    '_raw_page_times',
    '_merged_stores',
    '_merged_crawls',
  ];
  const tables = Object.keys(contentsOf(path)).filter((name) => !name.includes('_fts'));
  expect(tables).toEqual([...DERIVED_TABLES, ...record].toSorted());
});
