import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatSummaryTable } from '../../src/cli/targets/crawl-summary.ts';
import { describeError } from '../../src/errors.ts';
import { MissingPagesError } from '../../src/rebuild/rebuild.ts';
import { newStore, spec } from '../store/support.ts';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const folder = tempDir;
const file = (): string => {
  const path = join(tempDir(), 'notes.txt');
  writeFileSync(path, 'a text');
  return path;
};

test.each([
  [
    'a file in the place of the demo',
    file,
    (path: string) => ['demo', '--dir', path, '-q'],
    'cannot create the folder PATH: a file has that name\n  Choose another with --dir.\n',
  ],
  [
    'a demo below a file',
    file,
    (path: string) => ['demo', '--dir', join(path, 'demo')],
    'cannot create the folder PATH/demo: a file has that name\n  Choose another with --dir.\n',
  ],
  [
    'a folder of targets',
    folder,
    (path: string) => ['enqueue', 'profile', '--from-file', path],
    'cannot read the targets in PATH: it is a folder\n',
  ],
  [
    'a word for a number of a crawl',
    folder,
    (path: string) => ['crawls', 'show', 'abc', '--db', join(path, 'a.db')],
    "'abc' is invalid for argument 'id'. It must be the id of a crawl; `trawl crawls",
  ],
])('%s is reported, with exit code 2', async (_, make, words, says) => {
  const path = make();
  const { code, stdout, stderr } = await runCli(words(path));
  expect({ code, stdout, stderr: stderr.replaceAll(path, 'PATH') }).toEqual({
    ...{ code: 2, stdout: '' },
    stderr: expect.stringMatching(new RegExp(`^trawl: ${says.replaceAll(/[.`]/g, '\\$&')}`)),
  });
});

test('the help after an error fits the terminal like requested help', async () => {
  const { code, stderr } = await runCli(['backfill']);
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
  const missing = { crawlId: 1, kind: 'followers', target: 'nasa', pages: 1, until: 0 };
  expect(new MissingPagesError([missing]).message).toBe('1 page is missing, of 1 crawl: nothing was changed');
});
