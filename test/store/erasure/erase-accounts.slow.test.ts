import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { eraseAccounts, previewErasure } from '#store/erasure/erase-accounts.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { failure, runCli, runDoctorCheck } from '../../support/cli.ts';
import { tempFile } from '../../support/temp.ts';
import { NEW_HANDLE, type Traces, people } from './people.ts';
import { readValues, scanFolder } from './scan.ts';

/** What identifies the people whatever happens to mentions. */
const ownTraces = ({ restIds, biographies, tweetIds, texts }: Traces): string[] => [
  ...restIds,
  ...biographies,
  ...tweetIds,
  ...texts,
];

const listPlaces = (found: readonly string[]): string[] =>
  [...new Set(found.map((one) => one.split(':')[0]!))].toSorted();

async function erase(path: string, mentions: MentionsPolicy) {
  const { restIds } = await people.traces();
  const options = { path, mentions, now: () => 1_800_000_000_000, onProgress: () => undefined };
  return await eraseAccounts({ ...options, accounts: { restIds, handles: [] } });
}

/** The rows of a query on a store. */
function query<T = unknown[]>(path: string, sql: string): T[] {
  const client = openConnection(path);
  try {
    return client.prepare<[], T>(sql).raw().all();
  } finally {
    client.close();
  }
}

/** The tables and columns in which a crawl leaves traces of people, and the records that the test adds. */
const PLACES = [
  '_alerts.details',
  '_drift.sample',
  '_dropped_fields.sample',
  '_job_accounts.handle',
  '_job_accounts.rest_id',
  '_run_targets.target',
  '_ship_outbox.facts',
  '_scheduled_jobs.definition',
  '_scheduled_jobs.last_run_error',
  '_steps.outcome',
  'coverage.newest_rest_id',
  'coverage.oldest_rest_id',
  'coverage.target',
  'crawls.checkpoint',
  'crawls.error',
  'crawls.handle',
  'crawls.target',
  'crawls.target_rest_id',
  'gaps.newer_rest_id',
  'gaps.target',
  'panel_members.handle',
  'panel_members.note',
  'panel_members.rest_id',
  'panels.description',
  'raw_pages.body',
  'raw_pages.parameters',
  'rejects.sample',
  'requests.error',
  'searches.query',
  'tweet_mentions.screen_name',
  'tweets.in_reply_to_screen_name',
  'tweets.in_reply_to_status_rest_id',
  'tweets.in_reply_to_user_rest_id',
  'tweets.rest_id',
  'tweets.text',
  'user_history.description',
  'user_history.name',
  'user_history.screen_name',
  'users.description',
  'users.name',
  'users.rest_id',
  'users.screen_name',
];

test('the store of the tests shows the people in all these places', async () => {
  const path = await people.copy();
  const traces = await people.traces();
  const found = scanFolder(path, [...ownTraces(traces), ...traces.handles, ...traces.names]);
  expect(listPlaces(found)).toEqual(expect.arrayContaining(PLACES));
  expect(traces.texts.length).toBeGreaterThan(100);
});

/** Where handles and names remain: in the words of others, their index and their pages. */
const WITH_MENTIONS: Readonly<Record<MentionsPolicy, readonly string[]>> = {
  keep: [
    '_ship_outbox.facts',
    'mine.db',
    'raw_pages.body',
    'tweet_mentions.screen_name',
    'tweets.text',
    'users.description',
  ],
  redact: [],
};

test.each(['keep', 'redact'] as const)(
  'after an erasure with mentions %s, no byte of its folder shows the people',
  async (mentions) => {
    const path = await people.copy();
    const traces = await people.traces();
    const schema = query(path, 'select type, name, sql from sqlite_schema order by type, name');
    const summary = await erase(path, mentions);
    expect(summary).toMatchObject({ reassignedHandles: [], ownObjects: { tables: [], naming: [] } });
    expect(scanFolder(path, ownTraces(traces))).toEqual([]);
    const named = listPlaces(scanFolder(path, [...traces.handles, ...traces.names]));
    expect(named.filter((place) => mentions === 'redact' || !place.includes('_fts'))).toEqual(WITH_MENTIONS[mentions]);

    expect(readdirSync(dirname(path)).toSorted()).toEqual(expect.arrayContaining(['mine.db']));
    expect(query(path, 'pragma integrity_check')).toEqual([['ok']]);
    expect(query(path, 'pragma foreign_key_check')).toEqual([]);
    const withoutStatistics = (rows: unknown[][]): unknown[][] =>
      rows.filter(([, name]) => !String(name).startsWith('sqlite_stat'));
    expect(withoutStatistics(query(path, 'select type, name, sql from sqlite_schema order by type, name'))).toEqual(
      withoutStatistics(schema),
    );
    const client = openConnection(path);
    onTestFinished(() => void client.close());
    for (const index of ['tweets_fts', 'users_fts'])
      client.exec(`insert into ${index} (${index}, rank) values ('integrity-check', 1)`);
    expect(query(path, 'select count(*), max(finished_at) from _erasures')).toEqual([[1, 1_800_000_000_000]]);
    // Targets that have facts about them learn their hashes.
    const facts = `select e.value ->> 2 from _ship_outbox, json_each(facts ->> '$.erasures') e order by 1`;
    expect(query(path, facts)).toEqual(query(path, 'select hash from _tombstones order by 1'));
  },
);

test('the index of full-text search has no word that only they used', async () => {
  const path = await people.copy();
  const { texts } = await people.traces();
  const others = query<[string]>(
    path,
    "select group_concat(text, ' ') from tweets where text is not null",
  )[0]![0].toLowerCase();
  await erase(path, 'keep');
  const left = query<[string]>(
    path,
    "select group_concat(text, ' ') from tweets where text is not null",
  )[0]![0].toLowerCase();
  // Of a term, the index has what differs from the term before it.
  const endings = texts
    .flatMap((text) => text.toLowerCase().match(/\b[a-z]{7,}\b/g) ?? [])
    .map((word) => word.slice(2))
    .filter((ending) => others.includes(ending) && !left.includes(ending));
  expect(endings.length).toBeGreaterThan(20);
  const blocks = query<[Buffer]>(path, 'select block from tweets_fts_data').map(([block]) => block.toString('latin1'));
  expect(endings.filter((ending) => blocks.some((block) => block.includes(ending)))).toEqual([]);
});

test('an erasure that keeps mentions leaves what others did and said as it was', async () => {
  const path = await people.copy();
  const { restIds } = await people.traces();
  const ids = restIds.map((id) => `'${id}'`).join();
  const gone = `(select id from users where rest_id in (${ids}))`;
  const goneTweets = `(select id from tweets where author_id in ${gone})`;
  const read = () =>
    [
      `select * from users where id not in ${gone} order by id`,
      `select * from user_history where user_id not in ${gone} order by id`,
      `select id, rest_id, author_id, text, created_at, seen_in_lists from tweets where id not in ${goneTweets} order by id`,
      `select * from follows where follower_id not in ${gone} and followee_id not in ${gone} order by id`,
      `select * from media where tweet_id not in ${goneTweets} order by 1, 2`,
      `select * from tweet_mentions where tweet_id not in ${goneTweets} order by 1, 2`,
      `select * from tweet_replies where tweet_id not in ${goneTweets} and reply_id not in ${goneTweets} order by 1, 2`,
      `select * from search_hits where tweet_id not in ${goneTweets} and search_id not in (select id from searches where query like '%sidetwo%') order by 1, 2`,
      `select * from coverage where target not in (${ids}) and kind <> 'community' order by id`,
      `select id, requests, pages, created_at from crawls order by id`,
    ].map((sql) => query(path, sql));
  const isReply = 'select rest_id from v_tweets where is_reply = 1 order by 1';
  const replies = new Set(query(path, isReply).flat());
  const before = read();
  expect(Math.min(...before.map((rows) => rows.length))).toBeGreaterThan(0);
  await erase(path, 'keep');
  expect(read()).toEqual(before);
  // A reply to them remains a reply.
  const left = query(path, 'select rest_id from v_tweets order by 1').flat();
  expect(query(path, isReply).flat()).toEqual(left.filter((id) => replies.has(id)));
});

test('a list that had them as members says that items are erased, and is no longer complete; others stay complete', async () => {
  const path = await people.copy();
  const { restIds } = await people.traces();
  const ids = restIds.map((id) => `'${id}'`).join();
  const complete = (more = '') =>
    query<[string, string, number]>(
      path,
      `select kind, target_rest_id, stored from v_completeness where kind in ('followers', 'following') and is_complete = 1
       and target_rest_id not in (${ids}) ${more} order by 1, 2`,
    );
  const having = query<[string, string, number]>(
    path,
    `select 'followers', o.rest_id, count(*) from follows f join users o on o.id = f.followee_id join users p on p.id = f.follower_id
     where p.rest_id in (${ids}) and o.rest_id not in (${ids}) group by 2
     union all select 'following', o.rest_id, count(*) from follows f join users o on o.id = f.follower_id join users p on p.id = f.followee_id
     where p.rest_id in (${ids}) and o.rest_id not in (${ids}) group by 2`,
  );
  const before = complete();
  const members = new Map(having.map(([kind, id, n]) => [`${kind} ${id}`, n]));
  const affected = before.filter(([kind, id]) => members.has(`${kind} ${id}`));
  expect(affected.length).toBeGreaterThan(0);
  expect(before.length).toBeGreaterThan(affected.length);
  await erase(path, 'keep');
  expect(complete()).toEqual(before.filter((list) => !affected.includes(list)));
  using db = openReadOnly(path);
  const readCoverage = prepareAccountCoverage(db);
  for (const [kind, id, stored] of affected) {
    const list = readCoverage(id)!.accountLists.find((each) => each.kind === kind)!;
    const erased = members.get(`${kind} ${id}`)!;
    expect(list).toMatchObject({ state: 'incomplete', reason: 'erased', stored: stored - erased });
    expect(list.difference).toContainEqual(expect.objectContaining({ reason: 'erased', count: erased }));
    expect(
      query(path, `select erased from v_completeness where kind = '${kind}' and target_rest_id = '${id}'`),
    ).toEqual([[erased]]);
  }
});

test('a preview counts what an erasure removes and changes, and changes no byte', async () => {
  const path = await people.copy();
  const { restIds } = await people.traces();
  const before = readFileSync(path);
  const accounts = { restIds, handles: [] };
  const preview = await previewErasure({ path, accounts, mentions: 'redact' });
  expect(readFileSync(path).equals(before)).toBe(true);
  const removed = ({ tables }: typeof preview) => tables.map(({ table, removed: rows }) => [table, rows]);
  expect(removed(preview)).toEqual(removed(await erase(path, 'redact')));
});

test('an erasure of a handle that no account has removes what names it', async () => {
  const path = await people.copy();
  const options = { path, now: Date.now, onProgress: () => undefined };
  await eraseAccounts({ ...options, accounts: { restIds: [], handles: ['nobody_there'] }, mentions: 'keep' });
  expect(query(path, 'select count(*) from _tombstones')).toEqual([[2]]);
  // Their handle is another account's now: the account stays, and so does what names it.
  const { restIds } = await people.traces();
  query(path, `update users set screen_name = '${NEW_HANDLE}' where screen_name = 'HarbourNews' returning id`);
  const summary = await eraseAccounts({ ...options, accounts: { restIds, handles: [] }, mentions: 'redact' });
  expect(summary.reassignedHandles).toEqual([NEW_HANDLE.toLowerCase()]);
  expect(query(path, `select count(*) from users where screen_name = '${NEW_HANDLE}'`)).toEqual([[1]]);
});

test('an older copy that is put back learns of erasures from the file beside it, by their hashes alone', async () => {
  const path = await people.copy();
  const older = readFileSync(path);
  const traces = await people.traces();
  await erase(path, 'redact');
  const file = `${path}.tombstones`;
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(await runDoctorCheck(path, 'erasures')).toMatchObject({
    finding: { status: 'ok', message: '1 erasure, all finished' },
  });

  writeFileSync(path, older);
  expect(await runDoctorCheck(path, 'erasures')).toMatchObject({
    code: 1,
    finding: {
      status: 'wrong',
      message: expect.stringContaining('5 tombstones that the database lacks') as string,
    },
  });
  const next = await runCli(['lake', 'add', tempFile('lake'), '--db', path]);
  expect([next.code, next.stderr]).toEqual([0, expect.stringContaining('is an older copy')]);
  expect(scanFolder(path, [...ownTraces(traces), ...traces.handles, ...traces.names])).toEqual([]);
  expect(query(path, 'select count(*), count(finished_at) from _erasures')).toEqual([[1, 1]]);

  // Of another database, the hashes mean nothing. A lost file is written again.
  rmSync(file);
  await runCli(['panel', 'create', 'another', '--db', path]);
  const content = JSON.parse(readFileSync(file, 'utf8')) as { tombstones: { key: string; hash: string }[] };
  expect(content.tombstones).toHaveLength(5);
  content.tombstones.forEach((each, i) => Object.assign(each, { key: '1'.repeat(64), hash: String(i).repeat(64) }));
  writeFileSync(file, JSON.stringify(content));
  expect(await runCli(['panel', 'create', 'third', '--db', path])).toEqual(
    failure(1, 'tombstones of another database'),
  );
});

test('a store that is in use, or whose disk is too small, is refused and stays as it is', async () => {
  const path = await people.copy();
  const { restIds } = await people.traces();
  const before = [...readValues(path)];
  const user = openConnection(path);
  user.pragma('journal_mode = wal');
  user.prepare('select count(*) from users').get();
  await expect(erase(path, 'keep')).rejects.toThrow('is in use');
  user.close();
  const options = { path, accounts: { restIds, handles: [] }, mentions: 'keep', now: Date.now } as const;
  const readDisk = () => ({ free: 1e5, total: 1e9 });
  await expect(eraseAccounts({ ...options, readDisk, onProgress: () => undefined })).rejects.toThrow(
    /not enough space for the erasure: .* needed, 100 kB free/,
  );
  const signal = AbortSignal.abort(new Error('interrupted'));
  await expect(eraseAccounts({ ...options, signal, onProgress: () => undefined })).rejects.toThrow('interrupted');
  expect([...readValues(path)]).toEqual(before);
});
