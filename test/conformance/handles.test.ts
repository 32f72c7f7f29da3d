import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { startCli } from '../support/cli.ts';
import { type Account, type Hook, refuse, serveData } from './scripted-service.ts';
import { createCrawler, idsOf, people } from './support.ts';

/** A service that knows a handle only as it is spelled. */
const caseSensitive = (accounts: readonly Account[]): Hook => {
  return (call, next) => {
    const isKnown = accounts.some(({ handle }) => handle === call.parameters['screenName']);
    return call.endpoint === 'user-profile' && !isKnown ? refuse(404) : next();
  };
};

test('handles are sent as typed, and those from lists as the service spells them', async () => {
  const fan = { id: '2', handle: 'FanOne' };
  const accounts = [{ id: '1', handle: 'AnnaB', followers: ['2'] }, fan];
  const service = await serveData({ accounts }, { hook: caseSensitive(accounts) });
  const crawler = createCrawler(service);

  const { code, summary } = await crawler.crawl('followers', '@AnnaB', '--then', 'profile');

  expect(code).toBe(0);
  expect(summary['crawls'].map(({ state }: { state: string }) => state)).toEqual(['complete', 'complete']);
  const sent = service.calls.filter(({ endpoint }) => endpoint === 'user-profile');
  expect(sent.map(({ parameters }) => parameters['screenName'])).toEqual(['AnnaB', 'FanOne']);
  expect(crawler.rows("select screen_name from v_users where known_by = 'profile' order by 1")).toEqual([
    { screen_name: 'AnnaB' },
    { screen_name: 'FanOne' },
  ]);
});

test('a stored handle is found in any case, and sent as the service spells it', async () => {
  const accounts = [{ id: '1', handle: 'AnnaB', followers: ['2'] }, ...people(1, 2, 'fan')];
  const service = await serveData({ accounts }, { hook: caseSensitive(accounts) });
  const crawler = createCrawler(service);
  await crawler.crawl('profile', 'AnnaB');

  const { code } = await crawler.crawl('followers', 'annab');

  expect(code).toBe(0);
  expect(crawler.value('select count(*) from v_follows')).toBe(1);
});

test('a handle can contain any characters except slashes and spaces', async () => {
  const handles = ['Anna', 'anna-b', 'anna.b', 'änna', 'анна', '安娜'];
  const service = await serveData({ accounts: handles.map((handle, n) => ({ id: String(n + 1), handle })) });
  const crawler = createCrawler(service);

  const { code } = await crawler.crawl('profile', ...handles);

  expect(code).toBe(0);
  const stored = crawler.rows('select screen_name from v_users order by rest_id');
  expect(stored.map((row) => row['screen_name'])).toEqual(handles);
});

test.each(['an na', 'anna/b'])('%s is no handle', async (handle) => {
  const service = await serveData({});

  const { code } = await createCrawler(service).trawl('crawl', 'profile', handle);

  expect(code).toBe(2);
  expect(service.calls).toEqual([]);
});

test('a renamed account is crawled by its id, and the rename is reported', async () => {
  const fans = people(3, 100, 'fan');
  const anna = { id: '1', handle: 'anna', followers: idsOf(fans) };
  const service = await serveData({ accounts: [anna, ...fans] });
  const crawler = createCrawler(service);
  expect((await crawler.crawl('followers', 'anna')).code).toBe(0);

  anna.handle = 'anna_new';
  const { code, stdout, stderr } = await crawler.trawl('crawl', 'followers', 'anna');

  expect(code).toBe(0);
  expect(stdout + stderr).toMatch(/anna_new/);
  expect(crawler.rows("select state, target_rest_id from v_crawls where kind = 'followers'")).toEqual([
    { state: 'complete', target_rest_id: '1' },
    { state: 'complete', target_rest_id: '1' },
  ]);
});

test('schedule list shows how the runs of a job ended, and doctor names a job that failed three times', async () => {
  const service = await serveData({ accounts: [] });
  const crawler = createCrawler(service);
  const cwd = dirname(crawler.file);
  mkdirSync(join(cwd, 'jobs'));
  writeFileSync(join(cwd, 'jobs', 'panel.yaml'), 'every: 1s\nkind: followers\ntargets: [nobody]\n');
  const worker = startCli(['work', '--jobs', 'jobs'], { env: { ...service.env, TRAWL_DB: crawler.file }, cwd });
  await worker.waitForLine(/panel/);
  await vi.waitUntil(() => Number(crawler.value("select count(*) from v_crawls where state = 'failed'")) >= 4, {
    timeout: 40_000,
  });
  worker.kill('SIGTERM');
  await worker.exited;

  const list = await crawler.trawl('schedule', 'list', '--json');
  const doctor = await crawler.trawl('doctor', '--json');

  expect(list.stdout).toMatch(/failed/);
  const { findings } = JSON.parse(doctor.stdout) as { findings: { status: string; message: string }[] };
  const problems = findings.filter(({ status }) => status !== 'ok').map(({ message }) => message);
  expect(problems.join()).toMatch(/panel/);
});
