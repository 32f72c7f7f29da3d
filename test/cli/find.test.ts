import { readFileSync } from 'node:fs';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import type { Ranking, SearchLimit } from '#analysis/find/ranking.ts';
import { listNotes } from '#analysis/search/list-notes.ts';
import { run } from '#cli/program.ts';
import type { Sidecar } from '#files/export/sidecar.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createKnownStore } from '../export/support.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { addTweet, addUser, NOW, updateSearchIndex } from '../twin/support.ts';

function createStore(): string {
  const path = createStoreFile(tempFile('mine.db'));
  using db = openDatabase(path);
  const ada = addUser(db, {
    restId: '1',
    screenName: 'ada_coffee',
    name: 'Ada',
    followersCount: 10,
    description: 'Journaliste à Orléans',
  });
  const bob = addUser(db, {
    restId: '2',
    screenName: 'bob',
    name: 'Bob ☕',
    followersCount: 99,
    description: 'I like coffee. 東京カメラ部',
  });
  addUser(db, { restId: '3', screenName: 'Carol', name: 'Carol Coffee', followersCount: 5, description: null });
  addTweet(db, { restId: '11', authorId: ada, text: 'Un café à Orléans', createdAt: NOW - 3000, favoriteCount: 1 });
  addTweet(db, { restId: '12', authorId: bob, text: 'cafe cafe ｶﾒﾗ', createdAt: NOW - 2000, favoriteCount: 3 });
  addTweet(db, { restId: '13', authorId: bob, text: 'no match', createdAt: NOW - 1000, favoriteCount: 2 });
  addTweet(db, {
    restId: '14',
    authorId: null,
    text: 'a 𝐜𝐚𝐟𝐞 \u202Eecila\u001B[31m',
    createdAt: NOW,
    favoriteCount: null,
  });
  updateSearchIndex(db);
  return path;
}

const range = (start: number, end: number) => ({ start, end });

/** Runs a command on a terminal with so many columns. */
async function runOnTerminal(
  args: readonly string[],
  columns: number,
  env: Record<string, string> = {},
): Promise<string> {
  const stdout = Object.assign(new PassThrough(), { isTTY: true, columns });
  const streams = { stdin: Readable.from([]), stdout, stderr: new PassThrough() };
  const exited = run(args, { env, cwd: tempDir(), streams, signal: new AbortController().signal });
  void exited.finally(() => stdout.end());
  return await text(stdout);
}

describe('trawl find', () => {
  test('prints author, time, likes, id and text of tweets, with what matches', async () => {
    const { stdout, stderr } = await runSuccessfully(['find cafe --sort oldest --db', createStore()]);
    expect(stdout).toBe(
      [
        '1. @ada_coffee · Ada · 2024-06-01 11:59 · 1 like · id 11',
        '  Un **café** à Orléans',
        '',
        '2. @bob · Bob ☕ · 2024-06-01 11:59 · 3 likes · id 12',
        '  **cafe** **cafe** ｶﾒﾗ',
        '',
        '3. (unknown account) · 2024-06-01 12:00 · id 14',
        '  a **𝐜𝐚𝐟𝐞** \ufffdecila␛[31m',
        '',
      ].join('\n'),
    );
    expect(stderr).toBe('found 3 tweets\n');
  });

  test('sorts as --sort says', async () => {
    const db = createStore();
    const idsOf = async (...args: string[]) =>
      (await runJson<{ tweets: { restId: string }[] }>(['find cafe', ...args, '--db', db])).tweets.map(
        ({ restId }) => restId,
      );
    expect(await idsOf('--sort', 'likes')).toEqual(['12', '11', '14']);
    expect(await idsOf('--sort', 'newest', '-n', '2')).toEqual(['14', '12']);
    expect(await runCli(['find cafe --sort followers --db', db])).toEqual(
      failure(2, '--sort followers does not apply to tweets'),
    );
  });

  test('takes the operators of the service, in one word or in several', async () => {
    const db = createStore();
    const search = async (...words: string[]) => (await runSuccessfully(['find', ...words, '--db', db])).stdout;
    expect(await search('from:bob', 'カメラ')).toContain('cafe cafe **ｶﾒﾗ**');
    expect(await search('from:bob カメラ')).toContain('cafe cafe **ｶﾒﾗ**');
    expect(await search('"cafe a orleans"')).toContain('Un **café à Orléans**');
  });

  test('--json has the places of matches in code points, by field', async () => {
    const db = createStore();
    expect(await runJson<object>(['find cafe ecila --db', db])).toMatchObject({
      query: 'cafe ecila',
      matches: 1,
      hidden: { deletedTweets: 0, unavailableAccounts: 0 },
      deletions: null,
      tweets: [
        {
          restId: '14',
          createdAt: '2024-06-01T12:00:00.000Z',
          highlights: { text: [range(2, 6), range(8, 13)] },
        },
      ],
    });
    expect(await runJson<object>(['find --users carol coffee --db', db])).toMatchObject({
      users: [{ restId: '3', highlights: { screenName: [range(0, 5)], name: [range(0, 5), range(6, 12)] } }],
    });
  });

  test('is bold on a terminal, and uses no escape sequences with NO_COLOR', async () => {
    const db = createStore();
    const bold = await runOnTerminal(['find', 'cafe', '--db', db], 30);
    expect(bold).toContain('Un \u001B[1mcafé\u001B[22m à Orléans');
    expect(bold).not.toContain('**');
    for (const env of [{ NO_COLOR: '1' }, { TERM: 'dumb' }]) {
      const plain = await runOnTerminal(['find', 'cafe', '--db', db], 30, env);
      expect(plain).toContain('Un **café** à Orléans');
      expect(plain).not.toContain('\u001B');
    }
  });

  test('writes rows as csv, and files with a sidecar whose statement returns them again', async () => {
    const db = createStore();
    const csv = await runSuccessfully(['find cafe --sort oldest -f csv --db', db]);
    expect(csv.stdout.split('\n')[0]).toMatch(/^place,rest_id,author_rest_id,author,text,created_at,/);
    expect(csv.stdout.match(/^\d+,\d+/gm)).toEqual(['1,11', '2,12', '3,14']);
    const file = tempFile('found.csv');
    await runSuccessfully(['find --users coffee -o', file, '--db', db]);
    const sidecar = JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as Sidecar;
    expect(sidecar).toMatchObject({ rows: 3, command: expect.stringMatching(/^trawl find --users coffee /) });
    const parameters = Object.entries(sidecar.parameters).flatMap(([name, value]) => [
      '-p',
      `${name}=${String(value)}`,
    ]);
    const again = await runSuccessfully(['sql', sidecar.sql, ...parameters, '-f', 'csv', '--db', db]);
    expect(again.stdout).toBe(readFileSync(file, 'utf8'));
    expect(await runCli(['find x -f parquet --db', db])).toMatchObject({ code: 2 });
    expect(await runCli(['find x -o found.svg --db', db])).toEqual(failure(2, 'found rows are no chart'));
    expect(await runCli(['find x -f svg --db', db])).toMatchObject({ code: 2 });
  });

  test('leaves out deleted tweets and those of unavailable accounts, says so, and shows them on request', async () => {
    const db = createKnownStore();
    const { stdout, stderr } = await runSuccessfully(['find since:2025-01-01 --sort oldest --db', db]);
    expect(stdout.match(/id \d+/g)).toEqual(['id 101', 'id 102', 'id 104', 'id 107', 'id 108']);
    expect(stderr).toContain(
      'left out: 1 deleted tweet and 1 tweet of accounts that the service no longer shows (--include-deleted shows them)',
    );
    const all = await runSuccessfully(['find since:2025-01-01 --include-deleted --db', db]);
    expect(all.stdout).toContain('id 103 · deleted\n');
    expect(all.stdout).toContain('id 105 · account unavailable\n');
    expect(all.stderr).toContain('included: 1 deleted tweet and 1 tweet of accounts');
    const file = tempFile('found.csv');
    const readExcluded = async (...args: string[]): Promise<unknown> => {
      await runSuccessfully(['find since:2025-01-01 -o', file, '--db', db, ...args]);
      return (JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as Sidecar).excluded;
    };
    expect(await readExcluded()).toEqual({ deletedTweets: 1, unavailableAccounts: 1 });
    expect(await readExcluded('--include-deleted')).toEqual({});
  });

  test('says what was searched if nothing matches, and what to do', async () => {
    const db = createStore();
    const said = async (...words: string[]) => {
      const { stdout, stderr } = await runSuccessfully(['find', ...words, '--db', db]);
      expect(stdout).toBe('');
      return stderr;
    };
    expect(await said('nowhere')).toBe('nothing matches in 4 tweets: the database contains only crawled data\n');
    expect(await said('from:nasa')).toContain(`no account nasa: \`trawl crawl --db ${db} timeline nasa\` collects it`);
    expect(await said('from:Carol')).toContain(
      `no tweets of Carol: \`trawl crawl --db ${db} timeline Carol\` collects them`,
    );
    expect(await said('since:2023-02-29')).toContain('since:2023-02-29 is searched as text: it has no day');
    expect(await said('"since:2023-02-28"')).not.toContain('as text');
    expect(await said('since:2024-01-02 until:2024-01-02')).toContain('since: has to be before until:');
    expect(await said('from:ada_coffee from:bob')).toContain('a tweet has one author');
    expect(await said('""')).toContain('the search has no words');
    expect(await said('--users', '@nasa')).toContain(`\`trawl crawl --db ${db} profile nasa\` collects it`);
    const empty = createStoreFile(tempFile('empty.db'));
    const { stderr } = await runSuccessfully(['find x --db', empty]);
    expect(stderr).toContain('the database has no tweets: `trawl crawl');
    const renamed = createKnownStore();
    const { stderr: note } = await runSuccessfully(['find from:ada_then --db', renamed]);
    expect(note).toContain('ada_then is now called ada (id:');
  });

  test('claims no more than it read', () => {
    using db = openDatabase(createStore());
    const ranking = { ids: [], states: new Map(), matched: 0, hidden: { deletedTweets: 0, unavailableAccounts: 0 } };
    const notes = (limits: readonly SearchLimit[], more: Partial<Ranking> = {}) =>
      listNotes(db, '🎉', { ...ranking, ...more, limits }, { isForUsers: false, includeHidden: false })
        .map(({ text }) => text)
        .join('\n');
    expect(notes([])).toBe('nothing matches in 4 tweets: the database contains only crawled data');
    const limited = notes(['read']);
    expect(limited).not.toContain('nothing matches');
    expect(limited).toContain('nothing found in the part that was read of 4 tweets');
    expect(limited).toContain('it read 200,000 tweets, the newest or those stored last');
    expect(notes([], { hidden: { deletedTweets: 2, unavailableAccounts: 0 } })).toMatch(
      /^nothing else matches in 4 tweets.*\nleft out: 2 deleted tweets/,
    );
    expect(notes(['read', 'ranked'], { ids: [1], matched: 50_000 })).toMatch(
      /^shown: 1 of at least 50,000 tweets\n.*it read 200,000 tweets.*\n.*the 50,000 stored last are ranked/,
    );
  });

  test('refuses a search that is too long or empty', async () => {
    const db = createStore();
    const many = Array.from({ length: 65 }, (_, i) => `w${i}`).join(' ');
    expect(await runCli(['find', many, '--db', db])).toEqual(failure(2, 'A search may contain 64 words'));
    expect(await runCli(['find', 'x'.repeat(1001), '--db', db])).toEqual(
      failure(2, 'A search may have 1000 characters'),
    );
    expect(await runCli(['find', ' ', '--db', db])).toEqual(failure(2, 'the search is empty'));
    expect(await runCli(['find x --db', `${db}.none`])).toMatchObject({ code: 1, stdout: '' });
  });
});

describe('trawl find --users', () => {
  test('finds words in handles, names and biographies; those in handles and names first', async () => {
    const { stdout } = await runSuccessfully(['find --users coffee --db', createStore()]);
    expect(stdout).toContain('3. @bob · Bob ☕ · 99 followers · id:2\n  I like **coffee**. 東京カメラ部\n');
    expect(stdout).toContain('@ada_**coffee** · Ada · 10 followers · id:1\n  Journaliste à Orléans\n');
    expect(stdout).toContain('@Carol · Carol **Coffee** · 5 followers · id:3\n');
    const sorted = await runSuccessfully(['find --users coffee --sort followers --db', createStore()]);
    expect(sorted.stdout.match(/^\d+\. @\S+/gm)).toEqual(['1. @bob', '2. @ada_**coffee**', '3. @Carol']);
  });

  test('leaves out accounts that the service no longer shows, and says which accounts are not indexed', async () => {
    const path = createKnownStore();
    const { stderr } = await runSuccessfully(['find --users gone --db', path]);
    expect(stderr).toContain('4 accounts of a running crawl not searched');
    {
      using db = openDatabase(path);
      updateSearchIndex(db);
    }
    const hidden = await runSuccessfully(['find --users gone --db', path]);
    expect(hidden.stdout).toBe('');
    expect(hidden.stderr).toContain('left out: 1 account that the service no longer shows');
    const shown = await runSuccessfully(['find --users @gone --include-deleted --db', path]);
    expect(shown.stdout).toContain('id:30 · account unavailable');
  });
});

test('a word that is left out without quotes is an error that says to quote it', async () => {
  expect(await runCli(['find', 'tea', '-coffee'])).toEqual(
    failure(
      2,
      "unknown option '-coffee'\n  Quote a query that leaves out a word: trawl find 'tea -coffee'\n  Use --help for the arguments and options.",
    ),
  );
});
