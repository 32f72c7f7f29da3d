import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';
import { serveData } from './scripted-service.ts';
import { createCrawler, people, serveTwin } from './support.ts';

vi.setConfig({ testTimeout: 120_000 });

test.each(['world.db', 'crawled.db'])('a demo leaves a %s alone that no demo made', async (name) => {
  const cwd = tempDir();
  writeFileSync(join(cwd, name), 'notes of somebody');
  writeFileSync(join(cwd, `${name}-wal`), 'more notes');

  const { code, stderr } = await runCli(['demo', '--dir', '.', '--users', '50'], { cwd });

  expect(code).not.toBe(0);
  expect(stderr).toContain(name);
  expect(readFileSync(join(cwd, name), 'utf8')).toBe('notes of somebody');
  expect(readFileSync(join(cwd, `${name}-wal`), 'utf8')).toBe('more notes');
});

test.each(['world.db', 'crawled.db'])('a demo leaves a store alone that is called %s', async (name) => {
  const service = await serveData({ accounts: people(1, 1, 'anna') });
  const crawler = createCrawler(service);
  const cwd = tempDir();
  const file = join(cwd, name);
  await runCli(['crawl', 'profile', 'anna1', '--db', file], { cwd, env: service.env });
  const before = readFileSync(file);

  const { code } = await runCli(['demo', '--dir', cwd, '--users', '50'], { cwd });

  expect(code).not.toBe(0);
  expect(readFileSync(file).equals(before)).toBe(true);
  const { stdout } = await crawler.trawl('sql', 'select screen_name from v_users', '--json', '--db', file);
  expect(JSON.parse(stdout)).toEqual([{ screen_name: 'anna1' }]);
});

test('a demo replaces what an earlier demo made', async () => {
  const cwd = tempDir();

  for (let run = 0; run < 2; run += 1) {
    const { code, stderr } = await runCli(['demo', '--users', '50', '--quiet'], { cwd });
    expect(code, stderr).toBe(0);
  }
});

test('a store and all files beside it can be read by their owner only', async () => {
  const service = await serveData({ accounts: people(1, 1, 'anna') });
  const crawler = createCrawler(service);
  await crawler.crawl('profile', 'anna1');
  const twin = await serveTwin(crawler.file);
  const answer = await twin.request('user-profile?screenName=anna1');
  expect(answer.status).toBe(200);

  const modes = ['', '-wal', '-shm', '-quota', '-quota-wal', '-quota-shm'].map((suffix) => {
    const found = statSync(crawler.file + suffix, { throwIfNoEntry: false });
    return [suffix, found === undefined ? 'none' : (found.mode & 0o777).toString(8)];
  });
  expect(modes.filter(([, mode]) => mode !== 'none' && mode !== '600')).toEqual([]);
  expect(modes.find(([suffix]) => suffix === '-quota')).toEqual(['-quota', '600']);
});
