import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { formatCanonicalJson, type ReportSidecar } from '#files/report/write-report.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { ADA, createKnownStore } from '../export/support.ts';
import { readPage } from '../report/read-page.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const readSidecar = (file: string): ReportSidecar =>
  JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as ReportSidecar;

async function writeReport(db: string, ...args: string[]) {
  const file = tempFile('report.html');
  const { stdout, stderr } = await runSuccessfully(['report', ...args, '-o', file, '--db', db]);
  return { file, html: readFileSync(file, 'utf8'), sidecar: readSidecar(file), stdout, stderr };
}

test('a report is one page, with a sidecar that has its figures and checksums', async () => {
  const db = createKnownStore();
  const before = Date.now();
  const { file, html, sidecar, stdout, stderr } = await writeReport(db, 'account', 'ada');
  const bytes = readFileSync(file);
  expect(sidecar).toMatchObject({
    name: 'report.html',
    mediaType: 'text/html',
    bytes: bytes.length,
    store: { file: 'known.db' },
    sha256: createHash('sha256').update(bytes).digest('hex'),
    dataSha256: createHash('sha256').update(formatCanonicalJson(sidecar.data)).digest('hex'),
  });
  expect(Date.parse(sidecar.snapshotAt)).toBeGreaterThanOrEqual(before);
  expect(html).toContain(sidecar.dataSha256);
  expect(html.match(/<meta http-equiv="Content-Security-Policy" content="default-src &#39;none&#39;;/)).not.toBeNull();
  expect(html).not.toMatch(/<script|<link|<img|<iframe|src=|https?:\/\/(?!www\.w3\.org)/);
  expect(stdout).toMatch(/report\.html: \d+(\.\d)? kB, in /);
  expect(stderr).toContain('--author');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(dirname(file)).toSorted()).toEqual(['report.html', 'report.html.meta.json']);
});

test('an account report says how much more is stored than reported, and names the hours as UTC', async () => {
  const db = createKnownStore();
  using connection = openDatabase(db);
  connection.$client.exec('update users set followers_count = 0 where id = 1');
  const { sections, tables } = readPage((await writeReport(db, 'account', 'ada')).html);
  expect(sections.get('completeness')).toContain('1 more stored than reported: ');
  expect(tables.get('Hours of the week: the figures')![0]).toContain('Hour (UTC)');
});

test('a report of the same data has the same checksum, and one of other data another', async () => {
  const db = createKnownStore();
  const first = await writeReport(db, 'account', 'ada');
  const again = await writeReport(db, 'account', `id:${ADA}`, '--author', 'Doe, Jane');
  expect(again.sidecar.dataSha256).toBe(first.sidecar.dataSha256);
  expect(again.sidecar.sha256).not.toBe(first.sidecar.sha256);
  using connection = openDatabase(db);
  connection.$client.exec("update tweets set favorite_count = 4 where rest_id = '101'");
  const changed = await writeReport(db, 'account', 'ada');
  expect(changed.sidecar.dataSha256).not.toBe(first.sidecar.dataSha256);
});

test('the citation names collector, service, access, version and checksum', async () => {
  const db = createKnownStore();
  using connection = openDatabase(db);
  connection.$client.exec(`
    insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes)
      values (1, 'user-tweets', ${Date.UTC(2025, 0, 3)}, 200, 1, 1), (4, 'followers', ${Date.UTC(2025, 1, 1)}, 200, 1, 1);
    insert into crawl_sources values (1, '0.2.0', 'api.example.org', 'key', ${Date.UTC(2025, 0, 3)}, ${Date.UTC(2025, 1, 1)})`);
  const { html, sidecar, stderr } = await writeReport(
    db,
    'account',
    'ada',
    '--author',
    'Doe, Jane',
    '--author',
    'A_1 & Co',
  );
  const [, quotation] = /<blockquote>([^]*?)<\/blockquote>/.exec(html)!;
  for (const part of [
    'Doe, Jane',
    'A_1 &amp; Co',
    'api.example.org',
    'trawl 0.2.0',
    'from 2025-01-03 to 2025-02-01',
    '@ada',
    sidecar.dataSha256,
  ]) {
    expect(quotation).toContain(part);
  }
  const [, bibtex] = /<pre>([^]*?)<\/pre>/.exec(html)!;
  expect(bibtex).toContain('author = {Doe, Jane and {A\\_1 \\&amp; Co}}');
  expect(stderr).not.toContain('--author');
});

test.each([
  ['deleted tweets', 'bob', { deletedTweets: 1 }, 'bob', ['regretted']],
  [
    'an account that the service no longer shows',
    'gone',
    { unavailableAccounts: 1 },
    'id:30',
    ['of a gone account', 'Gone With', 'a biography'],
  ],
])('texts of %s are left out, but for --include-deleted', async (_, target, excluded, again, texts) => {
  const db = createKnownStore();
  using connection = openDatabase(db);
  connection.$client.exec("update users set name = 'Gone With', description = 'a biography' where rest_id = '30'");
  const { html, sidecar } = await writeReport(db, 'account', target);
  expect(html.includes('The service no longer shows this account')).toBe(target === 'gone');
  expect(sidecar.excluded).toMatchObject(excluded);
  const included = await writeReport(db, 'account', again, '--include-deleted');
  expect(included.sidecar.excluded).toEqual({});
  for (const text of texts) {
    expect(html + JSON.stringify(sidecar)).not.toContain(text);
    expect(included.html).toContain(text);
  }
});

describe('three statements', () => {
  test('an account that was only seen: not collected, with the command that collects it', async () => {
    const { html } = await writeReport(createKnownStore(), 'account', 'id:40');
    expect(html).toContain('<strong>Not collected.</strong>');
    expect(html).toContain('<code>trawl crawl timeline id:40</code>');
    expect(html).not.toContain('<strong>No results.</strong>');
  });

  test('lists that were compared without a change: no results', async () => {
    const db = createKnownStore();
    using connection = openDatabase(db);
    connection.$client.exec(`
      delete from follows where followee_id = 1; delete from user_history;
      insert into crawls (id, kind, target, options, priority, state, ending, target_rest_id, created_at, started_at, updated_at, finished_at, pages)
        values (5, 'followers', 'ada', '{"n":1}', 'interactive', 'complete', 'served', '${ADA}', 9000, 9000, 9100, 9100, 1);
      insert into _list_snapshots (crawl_id, side, user_id, started_at, finished_at, item_count, missed_count, ended_count)
        values (5, 'followers', 1, 9000, 9100, 0, 0, 0)`);
    const { html } = await writeReport(db, 'account', 'ada');
    expect(html).toContain('<strong>No results.</strong>');
  });

  test('an account that the service does not show: not available', async () => {
    const { html } = await writeReport(createKnownStore(), 'account', 'gone');
    expect(html).toContain('<strong>Not available.</strong>');
  });
});

test('a report of a search finds it by the spelling that `crawls` shows', async () => {
  const db = createKnownStore();
  using connection = openDatabase(db);
  connection.$client.exec(`
    insert into crawls (id, kind, target, handle, options, priority, state, ending, created_at, started_at, updated_at, finished_at)
      values (9, 'search', 'from:bob', 'Bob', '{}', 'backfill', 'complete', 'served', 5000, 5000, 6000, 6000);
    insert into searches (id, query, first_seen_at, last_seen_at) values (1, 'from:Bob', 5000, 6000);
    insert into search_hits (search_id, tweet_id, rank, first_seen_at, last_seen_at) values (1, 8, 1, 5000, 6000)`);
  const { stdout } = await runSuccessfully(['crawls --db', db]);
  expect(stdout).toContain('from:Bob');
  const shown = await writeReport(db, 'search', 'from:Bob');
  expect(shown.sidecar.data).toMatchObject({
    search: { query: 'from:bob', tweets: 1 },
    collection: { kinds: [{ crawls: 1 }] },
  });
  expect((await writeReport(db, 'search', 'from:bob')).sidecar.dataSha256).toBe(shown.sidecar.dataSha256);
});

test.each([
  ['account', 'nobody', /does not have the account nobody[^]*trawl crawl .*profile nobody/],
  ['account', 'id:999', /does not have the account id:999/],
  ['search', 'never searched', /does not have the search 'never searched'/],
  ['job', 'nightly', /no job nightly/],
])('%s %s is refused if the database does not have it', async (subject, target, message) => {
  for (const db of [createKnownStore(), createStoreFile()]) {
    const file = tempFile('report.html');
    const { code, stdout, stderr } = await runCli(['report', subject, target, '-o', file, '--db', db]);
    expect({ code, stdout, stderr }).toMatchObject({ code: 1, stdout: '' });
    expect(stderr).toMatch(message);
    expect(existsSync(file)).toBe(false);
  }
});

test.each([
  ['every: 1h\nkind: timeline\ntargets: [ada]\n', 'Crawls timeline (every 1 h).'],
  [
    'every: 90m\nrecheck: { items: tweets, olderThan: 30d }\nbudget: { perRun: 10 }\n',
    'Checks stored tweets (every 1 h 30 min).',
  ],
  [
    'cron: "0 6 * * *"\ntimezone: Europe/Berlin\nkind: timeline\ntargets: [ada]\n',
    'Crawls timeline (0 6 * * * Europe/Berlin).',
  ],
])('the report of a job has its schedule and kinds as `schedule list` has: %j', async (definition, line) => {
  const db = createKnownStore();
  const cwd = tempDir();
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(join(cwd, 'jobs', 'both.yaml'), definition);
  await runSuccessfully(['schedule sync --db', db], { cwd });
  using connection = openDatabase(db);
  connection.$client.exec(`
    insert into runs (id, job_name, created_at) values (1, 'both', 5000);
    update crawls set run_id = 1 where id = 1`);
  const { html } = await writeReport(db, 'job', 'both');
  expect(html).toContain(line);
  const { stdout } = await runSuccessfully(['schedule list --db', db], { cwd });
  expect(stdout).toContain(/\((.*)\)/.exec(line)![1]);
  const { tables } = readPage(html);
  for (const caption of ['Crawls by kind, and how they ended', 'The crawls']) {
    const [header, row] = tables.get(caption)!;
    expect(row![header!.indexOf('Kind')]).toBe('timeline');
  }
});

test.each([
  [['account', 'ada'], "required option '-o, --output <file>'"],
  [['account', 'ada', '-o', '-'], 'a report is a file'],
  [['account', 'not a handle', '-o', 'r.html'], 'is not an account'],
  [['accounts', 'ada', '-o', 'r.html'], "unknown command 'accounts'"],
])('trawl report %j is a usage error', async (args, message) => {
  expect(await runCli(['report', ...args, '--db', createKnownStore()])).toEqual(failure(2, message));
});

test('an earlier report stays if writing fails, and a database is never replaced', async () => {
  const db = createKnownStore();
  expect(await runCli(['report account ada -o', db, '--db', db])).toMatchObject(failure(2, 'is a SQLite database'));
  const folder = tempDir();
  const file = join(folder, 'report.html');
  writeFileSync(file, 'earlier');
  expect(await runCli(['report account nobody -o', file, '--db', db])).toMatchObject({ code: 1 });
  expect(readFileSync(file, 'utf8')).toBe('earlier');
  await runSuccessfully(['report account ada -o', file, '--db', db]);
  expect(readFileSync(file, 'utf8')).toMatch(/^<!doctype html>/);
  expect(readdirSync(folder).toSorted()).toEqual(['report.html', 'report.html.meta.json']);
});

test('--json describes the files', async () => {
  const db = createKnownStore();
  const file = tempFile('report.html');
  const printed = await runJson<Record<string, unknown>>(['report account ada -o', file, '--db', db]);
  const { sha256, dataSha256, bytes } = readSidecar(file);
  expect(printed).toMatchObject({
    file,
    sidecar: `${file}.meta.json`,
    sha256,
    dataSha256,
    bytes,
    includesDeleted: false,
  });
});

test('a former handle finds the account, with a note', async () => {
  const { stderr, sidecar } = await writeReport(createKnownStore(), 'account', 'ada_then');
  expect(stderr).toContain('ada_then is now called ada');
  expect(sidecar.data).toMatchObject({ account: { restId: ADA } });
});
