import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { MissingPagesError, rebuild, rereadStore } from '../../src/rebuild/rebuild.ts';
import { DERIVED } from '../../src/rebuild/tables.ts';
import { openDatabase } from '../../src/store/database.ts';
import { createWorld } from '../../src/world/create-world.ts';
import { tempFile } from '../support/temp.ts';
import { contentsOf, derivedDigest } from './digest.ts';
import { mend } from './mend.ts';
import { someWeeks } from './some-weeks.ts';

const again = (path: string) => rebuild({ path, signal: new AbortController().signal, onProgress: () => undefined });
const onTop = (path: string) =>
  rereadStore({ path, signal: new AbortController().signal, onProgress: () => undefined });

/** Changes a store behind everybody's back. */
function change(path: string, sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

function tweetsWith(path: string, word: string): number {
  const db = new Database(path, { readonly: true });
  const found = db.prepare('select count(*) from tweets_fts where tweets_fts match ?').pluck().get(word) as number;
  db.close();
  return found;
}

describe('a rebuild', () => {
  it('law 10: makes the same tables again to the letter, from a store that lost them all', async () => {
    const { path } = await someWeeks();
    const before = contentsOf(path);
    expect(before['follows']!.some((row) => (row as { ended: number | null }).ended !== null)).toBe(true);
    expect(before['rejects']).toHaveLength(1);
    expect(before['gaps']).toContainEqual(expect.objectContaining({ reason: 'interrupted' }));
    const digest = derivedDigest(path);
    change(path, [...DERIVED].map((table) => `delete from ${table};`).join('\n'));
    expect(derivedDigest(path)).not.toBe(digest);

    expect(tweetsWith(path, 'tweet')).toBe(0);
    expect(await again(path)).toBe(before['raw_pages']!.length);
    expect(contentsOf(path)).toEqual(before);
    expect(derivedDigest(path)).toBe(digest);
    expect(tweetsWith(path, 'tweet')).toBe(before['tweets']!.length);
    // And once more, from what it made.
    await again(path);
    expect(contentsOf(path)).toEqual(before);
  });

  it('fills a column that was not read before, without a request', async () => {
    const { path } = await someWeeks();
    const before = contentsOf(path);
    change(path, 'update tweets set created_at = null; update users set followers_count = null');
    await again(path);
    expect(contentsOf(path)).toEqual(before);
  });

  it('law 5: stores what had been set aside, and claims nothing for a crawl that joined another one', async () => {
    const { path } = await someWeeks();
    const partial = (contentsOf(path)['crawls'] as { state: string; reason: string }[]).filter(
      ({ reason }) => reason === 'rejected_items',
    );
    expect(partial).toMatchObject([{ kind: 'timeline', state: 'partial', rejected: 1 }]);
    mend(path);
    await again(path);
    const after = contentsOf(path);
    expect(after['rejects']).toEqual([]);
    expect(after['tweets']).toContainEqual(expect.objectContaining({ rest_id: '17', text: 'tweet mended' }));
    expect(after['crawls']).toContainEqual(
      expect.objectContaining({
        ...partial[0],
        ending: 'joined',
        rejected: 0,
        items: expect.any(Number),
        new_items: expect.any(Number),
        last_items: expect.any(Number),
      }),
    );
  });

  it('keeps what its users made in the file', async () => {
    const { path } = await someWeeks();
    change(
      path,
      `create table notes (id integer primary key, "a word" text); insert into notes values (1, 'mine');
       create index notes_word on notes ("a word"); create view mine as select * from notes join users using (id)`,
    );
    const before = contentsOf(path);
    await again(path);
    expect(contentsOf(path)).toEqual(before);
    const names = (file: string) =>
      new Database(file, { readonly: true }).prepare('select type, name from sqlite_schema order by 1, 2').all();
    expect(names(path)).toEqual(
      expect.arrayContaining([
        { type: 'index', name: 'notes_word' },
        { type: 'view', name: 'mine' },
        { type: 'index', name: 'crawls_unfinished' },
      ]),
    );
  });

  it('refuses where bodies were not kept, and says of which crawls', async () => {
    const { path } = await someWeeks({ keepRaw: false });
    const before = contentsOf(path);
    const error = await again(path).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(MissingPagesError);
    const missing = (error as MissingPagesError).missing;
    expect(missing.map(({ kind, target }) => `${kind} ${target}`)).toContain('followers nasa');
    expect(missing.reduce((sum, { pages }) => sum + pages, 0)).toBe(
      (before['steps'] as { answers: string }[]).filter(({ answers }) => answers !== '').length,
    );
    expect(contentsOf(path)).toEqual(before);
  });

  it('refuses where bodies have expired, and can read the others again on top of what is stored', async () => {
    const { path } = await someWeeks();
    change(path, 'delete from raw_pages where id in (2, 5)');
    const before = contentsOf(path);
    const refused = (await again(path).catch((error: unknown) => error)) as MissingPagesError;
    expect(refused.missing.map(({ pages }) => pages)).toEqual([1, 1]);
    expect(contentsOf(path)).toEqual(before);

    mend(path);
    change(path, 'update tweets set has_media = null, created_at = null where cast(rest_id as int) between 5 and 10');
    expect(await onTop(path)).toMatchObject({ resolved: 1, newItems: 1, unreadable: 0 });
    const after = contentsOf(path);
    for (const table of ['follows', 'users_seen', 'coverage', 'gaps', 'complete_lists', 'drift', 'fields_by_day'])
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

  it('refuses a world, which came of no pages, rather than emptying it', async () => {
    const path = tempFile('world.db');
    const db = openDatabase(path);
    await createWorld({ db, users: 20, seed: 1 });
    db.$client.close();
    await expect(again(path)).rejects.toThrow('no page is on record');
    expect(contentsOf(path)['users']).toHaveLength(20);
  });

  it('refuses a store that holds more than its pages lead to', async () => {
    const { path } = await someWeeks();
    change(path, "insert into users (rest_id, first_seen) values ('strange', 1)");
    const before = contentsOf(path);
    await expect(again(path)).rejects.toThrow('not to 1 users');
    expect(contentsOf(path)).toEqual(before);
  });

  it('refuses while anybody has the store open, and leaves no file behind', async () => {
    const { path } = await someWeeks();
    const reader = new Database(path, { readonly: true });
    reader.prepare('select count(*) from users').get();
    await expect(again(path)).rejects.toThrow('is in use');
    reader.close();
    expect(readdirSync(dirname(path)).filter((name) => name.includes('.rebuild-'))).toEqual([]);
    await again(path);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

  it('keeps the mode of the file, and clears away what a killed one left', async () => {
    const { path } = await someWeeks();
    const left = `${path}.rebuild-1`;
    change(left, 'create table half (made)');
    const { mode } = statSync(path);
    await again(path);
    expect(statSync(path).mode).toBe(mode);
    expect(readdirSync(dirname(path)).filter((name) => name.startsWith(basename(path)))).toEqual([basename(path)]);
  });
});

it('every table is either made of pages or a record', () => {
  const path = tempFile('store.db');
  openDatabase(path).$client.close();
  const record = [
    ...[
      'api_keys',
      'crawl_family',
      'crawls',
      'endpoint_facts',
      'longest_pages',
      'quota_samples',
      'raw_pages',
      'requests',
    ],
    ...['run_days', 'runs', 'scheduled_jobs', 'settings', 'steps'],
  ];
  const tables = Object.keys(contentsOf(path)).filter((name) => !name.includes('_fts'));
  expect(tables).toEqual([...DERIVED, ...record].toSorted());
});
