import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeError } from '#base/errors.ts';
import { formatSummaryTable } from '#cli/targets/crawl-summary.ts';
import { createCrawlOptions } from '#crawl/jobs/job.ts';
import { MissingPagesError } from '#store/rebuild/rebuild.ts';
import { serve, valueOf, withWorld } from '../e2e/support.ts';
import { newStore, spec } from '../store/support.ts';
import { failure, runCli } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const createFile = (): string => {
  const path = tempFile('notes.txt');
  writeFileSync(path, 'a text');
  return path;
};

test.each([
  [
    'a file in the place of the demo',
    createFile,
    (path: string) => ['demo', '--dir', path, '-q'],
    'cannot create the folder PATH: a file has that name\n  Choose another with --dir.\n',
  ],
  [
    'a demo below a file',
    createFile,
    (path: string) => ['demo', '--dir', join(path, 'demo')],
    'cannot create the folder PATH/demo: a file has that name\n  Choose another with --dir.\n',
  ],
  [
    'a folder of targets',
    tempDir,
    (path: string) => ['enqueue', 'profile', '--from-file', path],
    'cannot read the targets in PATH: it is a folder\n',
  ],
  [
    'a word as the id of a crawl',
    tempDir,
    (path: string) => ['crawls', 'show', 'abc', '--db', join(path, 'a.db')],
    "'abc' is invalid for argument 'id'. It must be the id of a crawl; `trawl crawls",
  ],
])('%s is reported, with exit code 2', async (_, create, toArgs, message) => {
  const path = create();
  const { code, stdout, stderr } = await runCli(toArgs(path));
  expect({ code, stdout, stderr: stderr.replaceAll(path, 'PATH') }).toEqual({
    code: 2,
    stdout: '',
    stderr: expect.stringMatching(new RegExp(`^trawl: ${message.replaceAll(/[.`]/g, '\\$&')}`)),
  });
});

const DAY_OR_AGE = 'a day such as 2024-01-31, a time such as 2024-01-31T12:00:00Z, or an age such as 24h or 30d.';

test.each([
  [['twin', 'serve', '--latency', 'abc'], 'a number with a unit, such as 20s'],
  [['quota', '--by', 'kind', '--seen-since', 'foo'], DAY_OR_AGE],
  [['backfill', 'search', 'moon', '--since', '30'], DAY_OR_AGE],
  [['twin', 'keys', 'create', '--name', ' '], 'It must be a name.'],
  [['work', '--allow-host', 'crawler.example.org'], '--allow-host needs --dashboard'],
  [['enqueue', 'timeline', 'nasa', '--sicne', '30d'], 'Did you mean --since?'],
])('%j is refused, with the allowed values', async (args, message) => {
  expect(await runCli(args)).toMatchObject(failure(2, message));
});

test('the help after an error fits the terminal like requested help', async () => {
  const { code, stderr } = await runCli('backfill');
  expect(code).toBe(2);
  expect(stderr).toContain('Exit codes:');
  expect(stderr.split('\n').filter((line) => !line.startsWith('  ') && line.length > 80)).toEqual([]);
});

test('system errors are reported without codes and system calls', () => {
  const system = (code: string, message: string): string => describeError(Object.assign(new Error(message), { code }));
  expect(system('ENOTFOUND', 'getaddrinfo ENOTFOUND 300.1.1.1')).toBe('no such host');
  expect(system('ECONNREFUSED', '')).toBe('connection refused');
  expect(system('ENOENT', "ENOENT: no such file or directory, open 'x'")).toBe('no such file or directory');
  expect(system('EODD', '')).toBe('EODD');
});

test('the summary counts each kind of row, with singular and plural', async () => {
  const store = newStore();
  await store.write.openCrawls([spec({ kind: 'tweet', target: '1' }), spec({ kind: 'tweet', target: '2' })], 1);
  const rows = store.read.unfinished().map((row) => ({ ...row, parentId: 9 }));
  expect(formatSummaryTable(rows)).toMatch(/\ntweet +2 tweets +queued/);
  const missing = { crawlId: 1, kind: 'followers', target: 'nasa', pages: 1, withheld: 0, until: 0 };
  expect(new MissingPagesError([missing]).message).toBe('1 page is missing, of 1 crawl: nothing was changed');
});

test('crawl, backfill and job files read an age alike: days count from the start of a day', async () => {
  const service = await serve(withWorld(30, 3));
  const db = tempFile('age.db');
  const env = { ...service.env, TRAWL_DB: db };
  // Around midnight it may be either day.
  const since = () => createCrawlOptions({ options: { since: '30d' } }, Date.now()).since!;
  const before = since();
  expect(await runCli('enqueue timeline nasa --since 30d', { env })).toMatchObject({ code: 0 });
  expect([before, since()]).toContain(valueOf(db, "select options ->> 'since' from crawls"));
  const { stdout } = await runCli('backfill search moon --since 30d --dry-run --json', { env });
  const day = new Date(before).toISOString();
  expect([day, new Date(since()).toISOString()]).toContain(JSON.parse(stdout).since);
});
