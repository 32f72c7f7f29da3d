import { expect, test } from 'vitest';
import { runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { followedBy, rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(200, 3);

test('sixteen concurrent crawls send at most --max-requests requests; resumed, they complete (invariant 8)', async () => {
  const service = await serve(world, { pageSize: 10 });
  const { handle, followers } = followedBy(world, 25);
  const { db, env } = service;
  const words = ['crawl', 'followers', handle, '--then', 'profile', '--max-requests', '17'];
  const first = await runCli(words, { env });
  expect(first.code).toBe(3);
  expect(first.stdout).toContain('request budget used up: more remain');
  expect(service.asked.length).toBe(17);
  expect(valueOf(db, 'select requests from _run_usage_by_day')).toBe(17);

  // What is known by now is planned to cost more.
  const again = ['crawl', 'followers', handle, '--then', 'profile', '--max-requests', '3'];
  const refused = await runCli(again, { env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('this takes more than --max-requests 3, and there is no terminal to confirm it on');
  expect(refused.stderr).toContain('Stops after 3 requests (--max-requests), and is partial then.');

  const resumed = await runCli(['crawls', 'resume', '1', '--max-requests', '5'], { env });
  expect(resumed).toMatchObject({ code: 0 });
  await runSuccessfully(['work', '--exit-when-idle', '-q'], { env });
  expect(service.asked.length).toBe(22);
  await runSuccessfully(['crawls', 'resume', '1'], { env });
  await runSuccessfully(['work', '--exit-when-idle', '-q'], { env });
  expect(valueOf(db, 'select count(*) from users where profile_at is not null')).toBe(followers + 1);
  expect(valueOf(db, "select count(*) from crawls where state <> 'complete'")).toBe(0);
  // Each asked once, but for what was on its way when the budget ended: nothing was.
  expect(service.asked.length).toBe(valueOf(db, 'select count(*) from requests'));
});

test('trawl quota --by shows what requests were spent on and the cost per new row', async () => {
  const { asked, db, env } = await serve(world, { pageSize: 10 });
  const { handle, followers } = followedBy(world, 25);
  await runCli(['crawl', 'followers', handle, '--then', 'profile', '-q'], { env });
  await runCli(['crawl', 'profile', 'nobody_at_all', '-q'], { env });
  const by = (what: string, ...more: string[]) =>
    runJson<{ total: { requests: number } }>(['quota', '--by', what, ...more], { env: { TRAWL_DB: db } });
  const pages = Math.ceil(followers / 10);
  const total = { requests: 1 + pages + followers + 1, failed: 0, notFound: 1, share: 1 };
  const kinds = await by('kind');
  expect(kinds).toMatchObject({
    total,
    rows: [
      { kind: 'profile', crawls: followers + 1, requests: followers + 1, newItems: 0, requestsPerNewItem: null },
      {
        kind: 'followers',
        crawls: 1,
        requests: 1 + pages,
        newItems: followers,
        requestsPerNewItem: (1 + pages) / followers,
      },
    ],
  });
  expect(kinds.total.requests).toBe(asked.length);
  expect(await by('crawl')).toMatchObject({
    rows: [
      {
        crawl: 1,
        kind: 'followers',
        target: handle.toLowerCase(),
        crawls: 1 + followers,
        requests: 1 + pages + followers,
      },
      { kind: 'profile', target: 'nobody_at_all', crawls: 1, requests: 1, failed: 0, notFound: 1, newItems: 0 },
    ],
  });
  expect(await by('priority', '--seen-since', '1h')).toMatchObject({ total, rows: [{ priority: 'interactive' }] });
  expect(await by('day')).toMatchObject({ rows: [{ day: new Date().toISOString().slice(0, 10) }] });
  expect(await by('job', '--limit', '1')).toMatchObject({ rows: [{ job: null }] });
  expect(await by('kind', '--seen-since', '2099-01-01')).toMatchObject({ total: { requests: 0 }, rows: [] });
  const { stdout } = await runCli(['quota', '--by', 'crawl', '--limit', '1'], { env: { TRAWL_DB: db } });
  expect(stdout).toMatch(/1 other/);
  expect(rowsOf(db, 'select 1 from _run_usage_by_day')).toEqual([]);
});
