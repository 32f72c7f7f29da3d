import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Sidecar } from '#files/export/sidecar.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { ADA, createKnownStore, jan } from '../export/support.ts';
import { failure, runCli, runJson, runSuccessfully, startCli } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const readSidecar = (file: string): Sidecar => JSON.parse(readFileSync(`${file}.meta.json`, 'utf8')) as Sidecar;

/** The first cells of the lines of a csv, after its header. */
const firstCells = (csv: string): string[] =>
  csv
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(',')[0]!);

/** Exports to stdout, and returns the first column. */
async function printIds(db: string, ...args: string[]): Promise<string[]> {
  return firstCells((await runSuccessfully(['export', ...args, '-o', '-', '--db', db])).stdout);
}

test('a csv has a header, a line per row, times as ISO 8601 and ids as they are', async () => {
  const db = createKnownStore();
  const file = tempFile('users.csv');
  const { stdout, stderr } = await runSuccessfully(['export users -o', file, '--db', db]);
  const [header, ada, bob, ...rest] = readFileSync(file, 'utf8').trim().split('\n');
  expect(header).toMatch(/^rest_id,screen_name,name,/);
  expect(ada).toMatch(new RegExp(`^${ADA},ada,Ada,`));
  expect(ada).toContain('2025-01-01T00:00:00.000Z');
  expect(bob).toContain('"say ""hi"", Bob"');
  expect(rest).toHaveLength(1);
  expect(stdout).toMatch(/users\.csv: 3 rows, \d+ B, in /);
  expect(stderr).toMatch(
    /^left out: 1 row of accounts that the service no longer shows \(--include-deleted exports it\)$/m,
  );
  expect(stderr).toContain('--include-deleted');
  expect(stderr.match(/docs\/exports\.md/g)).toHaveLength(1);
});

test('the sidecar says provenance and completeness', async () => {
  const db = createKnownStore();
  const file = tempFile('tweets.csv');
  const args = ['export', 'tweets', '-o', file, '--until', '2025-02-01', '--accounts', `id:${ADA},BOB`, '--db', db];
  const before = Date.now();
  await runSuccessfully(args, { env: { TRAWL_API_KEY: 'BOB' } });
  const sidecar = readSidecar(file);
  const bytes = readFileSync(file);
  expect(sidecar).toMatchObject({
    name: 'tweets.csv',
    mediaType: 'text/csv',
    rows: 5,
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    parameters: {
      until: Date.UTC(2025, 1, 1),
      accounts: JSON.stringify([ADA, '20']),
    },
    excluded: {
      deletedTweets: 1,
      unavailableAccounts: 0,
    },
    store: { file: 'known.db' },
    completeness: {
      lists: [
        {
          kind: 'timeline',
          lists: 2,
          complete: 1,
        },
      ],
      details: [
        {
          kind: 'timeline',
          target: '20',
          handle: 'Bob',
          isComplete: false,
          stored: 2,
          gaps: 1,
          label: 'Original tweets',
          sentence: expect.stringContaining('not complete') as string,
          command: null,
        },
        {
          kind: 'timeline',
          target: ADA,
          handle: 'ada',
          isComplete: true,
          completeAsOf: expect.any(String),
          gaps: 0,
        },
      ],
    },
  });
  expect(sidecar.command).toMatch(/^trawl export tweets -o .* --accounts 'id:9007199254740993,\[key\]'/);
  expect(Date.parse(sidecar.snapshotAt)).toBeGreaterThanOrEqual(before);
  expect(sidecar.columns.map(({ name }) => name).join(',')).toBe(bytes.toString().split('\n')[0]);
  expect(sidecar.columns.every(({ description }) => description)).toBe(true);
  expect(readFileSync(`${file}.meta.json`, 'utf8')).not.toContain('BOB');
});

test('the sidecar names no list of what is left out', async () => {
  const db = createKnownStore();
  using connection = openDatabase(db);
  connection.$client.exec(`
    insert into crawls (id, kind, target, options, priority, state, reason, ending, target_rest_id, created_at, started_at, updated_at, finished_at) values
      (10, 'tweet', '103', '{}', 'interactive', 'partial', 'max_pages', null, '103', 5000, 5000, 6000, 6000),
      (11, 'tweet', '105', '{}', 'interactive', 'partial', 'max_pages', null, '105', 5000, 5000, 6000, 6000),
      (12, 'tweet', '104', '{}', 'interactive', 'partial', 'max_pages', null, '104', 5000, 5000, 6000, 6000),
      (13, 'profile', 'Gone', '{}', 'interactive', 'failed', 'not_found', null, null, 5000, 5000, 6000, 6000)`);
  const file = tempFile('rows.csv');
  const listTargets = async (...args: string[]): Promise<string[]> => {
    await runSuccessfully(['export', ...args, '-o', file, '--db', db]);
    const { lists, details } = readSidecar(file).completeness;
    expect(lists.reduce((sum, list) => sum + list.lists - list.complete, 0)).toBe(details.length);
    return details.map(({ kind, target }) => `${kind} ${target}`);
  };
  expect(await listTargets('tweets')).toEqual(['timeline 20', 'tweet 104']);
  expect(await listTargets('tweets', '--include-deleted')).toEqual([
    'timeline 20',
    'tweet 103',
    'tweet 104',
    'tweet 105',
  ]);
  expect(await listTargets('users')).toEqual([]);
  expect(await listTargets('users', '--include-deleted')).toEqual(['followers 30', 'profile Gone']);
});

test('renamed and unavailable members of a panel are named', async () => {
  const db = createKnownStore();
  await runSuccessfully(['panel create stars --db', db]);
  await runSuccessfully(['panel add stars ada gone --db', db]);
  const { stderr } = await runSuccessfully(['export users --panel stars -o - --db', db]);
  expect(stderr).toContain('panel stars: gone (id:30) is unavailable: the service answered 404 on ');
  expect(stderr).not.toContain('panel stars: ada');
});

test('the statement of a sidecar returns the same rows in trawl sql', async () => {
  const db = createKnownStore();
  const file = tempFile('sample.csv');
  const selection = ['--accounts', 'ada,bob', '--since', '2025-01-01', '--sample', '3', '--seed', '7'];
  await runSuccessfully(['export tweets -o', file, ...selection, '--db', db]);
  const { sql, parameters } = readSidecar(file);
  const values = Object.entries(parameters).flatMap(([name, value]) => ['-p', `${name}=${String(value)}`]);
  const again = await runSuccessfully(['sql', sql, ...values, '-f', 'csv', '--db', db]);
  expect(firstCells(again.stdout)).toHaveLength(3);
  expect(firstCells(again.stdout)).toEqual(firstCells(readFileSync(file, 'utf8')));
});

test('accounts are found by handle, former handle, id, address and file', async () => {
  const db = createKnownStore();
  expect(await printIds(db, 'users', '--accounts', '@ADA')).toEqual([ADA]);
  expect(await printIds(db, 'users', '--accounts', `https://example.org/bob,id:40`)).toEqual(['20', '40']);
  const renamed = await runCli(['export users --accounts ada_then -o - --db', db]);
  expect(firstCells(renamed.stdout)).toEqual([ADA]);
  expect(renamed.stderr).toContain(`ada_then is now called ada (id:${ADA})`);
  const list = tempFile('accounts.txt');
  writeFileSync(list, '# my accounts\nbob\n\nid:40\n');
  expect(await printIds(db, 'users', '--from-file', list, '--accounts', 'ada')).toEqual([ADA, '20', '40']);
});

test('unknown accounts are skipped and reported, with exit code 3', async () => {
  const db = createKnownStore();
  const some = await runCli(['export users --accounts bob,nobody,id:5 -o - --db', db]);
  expect(some.code).toBe(3);
  expect(firstCells(some.stdout)).toEqual(['20']);
  expect(some.stderr).toContain('skipped: the database has no account nobody\n');
  expect(some.stderr).toContain('skipped: the database has no account id:5\n');
  const none = await runCli(['export users --accounts nobody -o - --db', db]);
  expect(none).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('none of the accounts') });
});

test('--since is included and --until is not; both may be times, and --since an age', async () => {
  const db = createKnownStore();
  const tweets = (...args: string[]) => printIds(db, 'tweets', ...args);
  expect(await tweets('--since', '2025-01-02', '--until', '2025-01-04')).toEqual(['102', '104']);
  expect(await tweets('--since', '2025-01-02T00:00:00Z', '--until', '2025-01-02T00:00:01Z')).toEqual(['102']);
  expect(await tweets('--since', '1d')).toEqual([]);
  const wrong = ['export', 'tweets', '-o', '-', '--db', db, '--since', '2025-01-02', '--until', '2025-01-02'];
  expect(await runCli(wrong)).toEqual(failure(2, '--since is not before --until'));
});

test('a sample without a seed prints one, which draws the same rows again', async () => {
  const db = createKnownStore();
  const file = tempFile('sample.jsonl');
  const first = await runSuccessfully(['export tweets -o', file, '--sample', '3', '--db', db]);
  const [, seed] = /--seed (\d+) draws this sample again/.exec(first.stderr)!;
  expect(readSidecar(file).parameters).toEqual({ seed, size: 3 });
  const again = await runSuccessfully(['export tweets -o - --format jsonl --sample 3 --seed', seed!, '--db', db, '-q']);
  expect(again).toMatchObject({ stdout: readFileSync(file, 'utf8'), stderr: '' });
});

test('--include-deleted exports everything, and says what that is', async () => {
  const db = createKnownStore();
  const { stdout, stderr } = await runSuccessfully(['export tweets -o - --include-deleted --db', db]);
  expect(firstCells(stdout)).toEqual(['101', '102', '103', '104', '105', '106', '107', '108']);
  expect(stderr).toContain('included: 1 row of deleted tweets and 1 row of accounts that the service no longer shows');
});

test('--json prints one document', async () => {
  const db = createKnownStore();
  const file = tempFile('media.csv');
  expect(await runJson(['export media -o', file, '--db', db, '-q'])).toMatchObject({
    file,
    sidecar: `${file}.meta.json`,
    rows: 2,
    sha256: readSidecar(file).sha256,
    unknownAccounts: [],
    hidden: {
      deletedTweets: 1,
      unavailableAccounts: 0,
    },
    includesDeleted: false,
    sample: null,
  });
});

test.each([
  [['tweets'], 2, 'no file to write'],
  [['-o', '-'], 2, 'no table to export'],
  [['tweet', '-o', 'x.csv'], 2, 'hashtags'],
  [['tweets', '-o', 'tweets.docx'], 2, 'tweets.docx belongs to no file format'],
  [['tweets', '-o', '-', '--format', 'xlsx'], 2, 'xlsx cannot be written to stdout'],
  [['tweets', '-o', '-', '--json'], 2, 'both write to stdout'],
  [['coverage', '-o', '-', '--sample', '3'], 2, '--sample does not apply to coverage'],
  [
    ['users', '-o', '-', '--older-than', '20d'],
    2,
    '--older-than does not apply to users: its rows belong to no tweets',
  ],
  [['follows', '-o', '-', '--older-than', '20d'], 2, '--older-than does not apply to follows'],
  [['coverage', '-o', '-', '--older-than', '20d'], 2, '--older-than does not apply to coverage'],
  [['graph', 'follows', '-o', 'x.csv', '--older-than', '20d'], 2, '--older-than does not apply to follows'],
  [['tweets', '-o', '-', '--seed', '3'], 2, '--seed needs --sample'],
  [['tweets', '-o', '-', '--accounts', 'not a name'], 2, 'is not an account'],
  [['tweets', '-o', '/nonexistent/tweets.csv'], 1, 'cannot write /nonexistent/tweets.csv'],
])('trawl export %j is refused', async (args, code, message) => {
  expect(await runCli(['export', ...args, '--db', createKnownStore()])).toEqual(failure(code, message));
});

test('an interrupt removes the unfinished file', async () => {
  const db = createKnownStore();
  {
    using large = openDatabase(db);
    large.$client.exec(`insert into tweets (rest_id, text, created_at, first_seen_at, last_seen_at)
      select 'n' || value, hex(zeroblob(200)), ${jan(1)}, 1, 1 from (with recursive n(value) as (select 1 union all select value + 1 from n where value < 20000) select value from n)`);
  }
  const folder = tempDir();
  const run = startCli(['export tweets -o', join(folder, 'tweets.csv'), '--db', db]);
  run.kill('SIGINT');
  expect(await run.exited).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
});
