import { expect, test } from 'vitest';
import { openStore, plan as planCrawls } from '#index.ts';
import { runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { followedBy, newKey, peopleOf, rowsOf, serve, valueOf, withWorld, writeTargets } from './support.ts';

const world = withWorld(400, 11);

interface Figures {
  readonly requests: number | null;
  readonly windows: number | null;
  readonly finishAt: string | null;
  readonly share: number | null;
}

interface Plan {
  readonly expected: Figures;
  readonly min: Figures;
  readonly max: Figures;
  readonly quota: { readonly limit: number };
  readonly missing: readonly { readonly fact: string }[];
}

const median = (numbers: readonly number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]!;

test('plans of known targets are accurate within 10 %, singly and together', async () => {
  const { asked, db, env } = await serve(world, { pageSize: 3 });
  const people = peopleOf(world, 200).map(({ handle }) => handle);
  const crawl = async (kind: string, handles: readonly string[]): Promise<void> => {
    const { code, stderr } = await runCli(['crawl', kind, '--from-file', writeTargets(handles), '-q'], { env });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  };
  // What the plans are made by: everybody's profile, and one list in eight.
  await crawl('profile', people);
  const some = people.filter((_, i) => i % 8 === 0);
  const rest = people.filter((_, i) => i % 8 === 3);
  for (const kind of ['timeline', 'followers', 'following']) await crawl(kind, some);

  const errors: number[] = [];
  for (const kind of ['timeline', 'followers', 'following']) {
    const before = asked.length;
    const plan = await runJson<Plan>(['plan', kind, '--from-file', writeTargets(rest)], { env });
    expect(asked.length, 'a plan sends nothing').toBe(before);
    expect(plan).toMatchObject({
      expected: {
        windows: 1,
        finishAt: expect.any(String),
        share: plan.expected.requests! / 1e5,
      },
      quota: { limit: 1e5 },
      missing: [],
    });

    await crawl(kind, rest);
    const took = asked.length - before;
    const rows = rowsOf<{ planned: number; least: number; most: number; requests: number }>(
      db,
      'select planned_requests_expected as planned, planned_requests_min as least, planned_requests_max as most, requests from crawls where kind = ? order by id desc limit ?',
      kind,
      rest.length,
    );
    const each = rows.map(({ planned, requests }) => Math.abs(planned - requests) / requests);
    errors.push(...each);
    const within = rows.filter(({ least, most, requests }) => least <= requests && requests <= most).length;
    expect(median(each)).toBeLessThan(0.1);
    expect(Math.abs(plan.expected.requests! - took) / took).toBeLessThan(0.1);
    expect(within / rows.length).toBeGreaterThan(0.9);
  }
  expect(median(errors)).toBeLessThan(0.1);

  // What is known complete costs one request each.
  const again = await runJson<Plan>(['plan', 'timeline', ...rest.slice(0, 10)], { env });
  expect(again).toMatchObject({ expected: { requests: 10 } });

  const id = valueOf(db, "select max(id) from crawls where kind = 'followers'");
  type Shown = {
    crawls: { plan: { requests: Record<'min' | 'expected' | 'max', number>; sent: number }; requests: number }[];
  };
  const [shown] = (await runJson<Shown>(['crawls', 'show', String(id)], { env })).crawls;
  const { requests, sent } = shown!.plan;
  expect(sent).toBe(shown!.requests);
  // Without the request of the owner's count, where another list has shown it.
  expect([requests.expected, requests.expected - 1]).toContain(sent);
  expect(requests.min).toBeLessThanOrEqual(sent);
  expect(requests.max).toBeGreaterThanOrEqual(sent);
  expect((await runCli(['crawls', 'show', String(id)], { env })).stdout).toMatch(
    /Planned: [\d,]+( \(.* to .*\))? requests; sent: [\d,]+\./,
  );
});

test('a plan of an unknown target is a range with its reason and creates no store; a profile and a page narrow it to a number', async () => {
  const { asked, db, env } = await serve(world, { pageSize: 10 });
  const { handle, followers } = followedBy(world, 45);
  const first = await runCli(['plan', 'followers', handle], { env });
  expect(first).toMatchObject({ code: 0, stderr: '' });
  expect(first.stdout).toContain('Total: at least 2 requests');
  expect(first.stdout).toContain(`followers ${handle.toLowerCase()}: the profile, with its counts`);
  expect(first.stdout).toContain('followers: the page size of the service');
  const range = await runJson<Plan>(['plan', 'followers', handle], { env });
  expect(range).toMatchObject({ expected: { requests: null }, min: { requests: 2 } });
  expect(() => valueOf(db, 'select 1')).toThrow('unable to open');
  expect(asked).toEqual([]);

  await runSuccessfully(['crawl', 'profile', handle, '-q'], { env });
  await runCli(['crawl', 'followers', handle, '--max-pages', '1', '-q'], { env });
  const plan = await runJson<Plan>(['plan', 'followers', handle], { env });
  expect(asked.map(({ endpoint }) => endpoint)).toEqual(['user-profile', 'followers']);
  // The pages, and at the end of the first list the owner's count.
  const requests = Math.ceil(followers / 10) + 1;
  expect(plan).toMatchObject({ expected: { requests }, missing: [] });
});

test('a plan of unknown accounts says once what is unknown, and claims no end that lacks its windows', async () => {
  const { env, url } = await serve(world, { pageSize: 10, limit: 20, windowMs: 60_000 });
  const handles = peopleOf(world, 30).map(({ handle }) => handle);
  const { stdout } = await runCli(['plan', 'followers', ...handles], { env });
  expect(stdout).toMatch(/\nfollowers +30 unknown accounts +unknown +60\s*\n\n/);
  expect(stdout).toContain('Total: at least 60 requests, at least 300 % of the quota of 20 requests per window.\n');
  expect(stdout).toContain('Takes at least 4 windows of 18 usable requests each, with at least 3 pauses for quota.\n');
  expect(stdout).toMatch(/\nFinish: unknown, because token-info has not shown the length of the window .*\n\n/);
  expect(stdout).toContain('followers, 30 targets: the profile, with its counts');
  expect(stdout).not.toMatch(/finish: in/i);
  const json = await runJson<Plan>(['plan', 'followers', ...handles], { env });
  expect(json.min).toMatchObject({ windows: 4, finishAt: null, earliestFinishAt: null });

  await using store = openStore(createStoreFile());
  const service = { url, key: env.TRAWL_API_KEY };
  const request = { into: store, service, kind: 'followers', targets: handles } as const;
  expect((await planCrawls(request)).finish).toEqual({ earliest: null, latest: null, windows: 4 });
  const one = await planCrawls({ ...request, targets: handles.slice(0, 1) });
  expect(one.finish).toEqual({ earliest: expect.any(Date), latest: null, windows: 1 });
  const { stdout: single } = await runCli(['plan', 'followers', handles[0]!], { env });
  expect(single).toContain('Takes at least 1 window of 18 usable requests.\n');
});

test('a crawl of more than one quota window needs --yes without a terminal; a smaller one does not', async () => {
  const { handle } = followedBy(world, 30);
  const { asked, env } = await serve(world, { pageSize: 1, limit: 20, windowMs: 2000 });
  // Of an unknown account nothing can be said: it is crawled as ever.
  expect(await runCli(['crawl', 'followers', handle, '--max-pages', '3', '-q'], { env })).toMatchObject({ code: 3 });
  const before = asked.length;
  const refused = await runCli(['crawl', 'followers', handle, '-q'], { env });
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain('this takes more than one quota window, and there is no terminal to confirm it on');
  expect(refused.stderr).toMatch(/Takes 2 windows of 18 usable requests each, with \d pauses? for quota/);
  expect(refused.stderr).toContain('--yes starts it');
  expect(asked.length).toBe(before);
  // The same rule holds for a queue, except where no quota is known.
  const enqueue = ['enqueue', 'followers', handle, '-q'];
  expect(await runCli(enqueue, { env })).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining('this takes more than one quota window'),
  });
  expect(valueOf(env.TRAWL_DB, 'select count(*) from crawls where finished_at is null')).toBe(0);
  await runSuccessfully(enqueue, { env: { TRAWL_DB: env.TRAWL_DB } });
  await runSuccessfully([...enqueue, '--yes'], { env });
  await runSuccessfully(['crawl', 'followers', handle, '-q', '--yes'], { env });
});

test('a plan uses quota samples of its own key only, and gives a lower bound with its reason', async () => {
  const { handle } = followedBy(world, 30);
  const service = await serve(world, { pageSize: 1, limit: 20, windowMs: 3_600_000 });
  const { db, env } = service;
  await runCli(['crawl', 'followers', handle, '--max-pages', '12', '-q'], { env });

  const hashes = rowsOf<{ hash: string }>(db, 'select distinct key_hash as hash from _quota_samples');
  expect(hashes).toEqual([{ hash: expect.stringMatching(/^[0-9a-f]{16}$/) }]);
  expect(service.key).not.toContain(hashes[0]!.hash);

  type Windows = { quota: { windowMs: number | null } };
  const plan = (key: string) =>
    runJson<Plan & Windows>(['plan', 'followers', handle], { env: { ...env, TRAWL_API_KEY: key } });
  const own = await plan(service.key);
  expect(own.expected).toMatchObject({
    windows: 3,
    finishAt: null,
    earliestFinishAt: expect.any(String),
  });
  expect(own.quota.windowMs).toBeGreaterThan(3_000_000);
  // The twin counts a request up to a thousandth of its window longer.
  expect(own.quota.windowMs).toBeLessThanOrEqual(3_603_600);

  const other = await plan(newKey(world, { name: 'other', limit: 20, windowMs: 60_000 }));
  expect(other.quota.windowMs).toBeNull();

  const { stdout } = await runCli(['plan', 'followers', handle], { env });
  expect(stdout).toMatch(/Earliest finish: in .*; the latest is unknown, because the window may be longer/);
});
