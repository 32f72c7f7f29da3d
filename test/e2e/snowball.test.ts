import { expect, test } from 'vitest';
import { type CliProcess, runCli, runSuccessfully, spawnCli } from '../support/cli.ts';
import { followedBy, integrityOf, rowsOf, serve, valueOf, withWorld } from './support.ts';

/** The content of a store, independent of the order of crawls. */
const CONTENT = {
  users:
    'select rest_id, screen_name, name, followers_count, following_count, verified, location, profile_at is null from users order by 1',
  follows: `select a.rest_id as follower, b.rest_id as followee from follows f
    join users a on a.id = f.follower_id join users b on b.id = f.followee_id order by 1, 2`,
  // A profile that was just requested for its count is not requested again: which crawl is first depends on the order.
  crawls: `select kind, target, options, priority, state, rejected_items, parent_id is null as root,
      iif(kind = 'profile', null, reason) as reason, iif(kind = 'profile', null, pages) as pages,
      iif(kind = 'profile', null, items) as items
    from crawls order by kind, target, options`,
};

const contentOf = (file: string) =>
  Object.fromEntries(Object.entries(CONTENT).map(([name, sql]) => [name, rowsOf(file, sql)]));

const world = withWorld(300, 5);

/** Runs a snowball of depth 2 that is killed at each of these requests, and then completed. */
async function snowball(kills: readonly number[]) {
  const { handle } = followedBy(world, 12);
  let child: CliProcess | undefined;
  let killAt = 0;
  const {
    asked,
    db: file,
    env,
  } = await serve(world, {
    onAsked: ({ n }) => void (n === killAt && child?.kill('SIGKILL')),
  });
  const command = ['crawl', 'followers', handle, '--then', 'followers,profile', '--depth', '2'];
  for (const n of kills) {
    killAt = asked.length + n;
    child = spawnCli(command, { env });
    expect(await child.exited).toBeNull();
  }
  const end = await runCli([...command, '--json'], { env });
  expect(end.stderr).not.toMatch(/bug|Warning/);
  const profiles = asked.filter(({ endpoint }) => endpoint === 'user-profile').length;
  return { file, end, content: contentOf(file), profiles, pages: asked.length - profiles };
}

test('a snowball of depth 2 that is killed equals one that is not (invariant 1)', async () => {
  const undisturbed = await snowball([]);
  const accounts = valueOf(undisturbed.file, `select count(distinct target) from crawls where parent_id is not null`);
  expect(accounts).toBeGreaterThan(100);
  expect(undisturbed.end.code).toBe(0);

  const killed = await snowball([60]);
  expect(killed.end.code).toBe(0);
  expect(killed.content).toEqual(undisturbed.content);
  expect(integrityOf(killed.file)).toBe('ok');
  // Two pages at most for each of the 16 crawls that run at a time.
  expect(killed.pages).toBeLessThanOrEqual(undisturbed.pages + 2 * 16);
  // Their order decides whether an account is looked up for its list, for its profile, or for both.
  expect(killed.profiles).toBeLessThanOrEqual(2 * (accounts + 16));
});

test('a snowball stops at --max-targets accounts, sends each request once, and its root is complete', async () => {
  const { asked, env } = await serve(world, { pageSize: 5 });
  const { handle } = followedBy(world, 30);
  const words = ['--then', 'profile,timeline', '--max-targets', '7', '--then-max-pages', '1', '--json'];
  const { code, stdout } = await runCli(['crawl', 'followers', handle, ...words], { env });
  const { crawls } = JSON.parse(stdout) as {
    crawls: { kind: string; state: string; parentId: number | null; target: string }[];
  };
  // A limit on the children makes only them partial.
  expect(code).toBe(0);
  expect(crawls.filter(({ parentId }) => parentId === null)).toMatchObject([{ kind: 'followers', state: 'complete' }]);
  expect(new Set(crawls.filter(({ parentId }) => parentId !== null).map(({ target }) => target)).size).toBe(7);
  expect(crawls).toHaveLength(1 + 2 * 7);
  // Whether an account without tweets exists, its timeline may have to ask at the same time as its profile.
  const lists = asked.filter(({ endpoint }) => endpoint !== 'user-profile');
  const keys = lists.map(({ endpoint, parameters }) => JSON.stringify([endpoint, parameters]));
  expect(new Set(keys).size).toBe(keys.length);
});

test('crawls show that a snowball reached its limit (invariant 5)', async () => {
  const [writer] = rowsOf<{ id: string; follows: string }>(
    world.file,
    `select u.rest_id as id, e.screen_name as follows from users u join follows f on f.follower_id = u.id
     join users e on e.id = f.followee_id where (select count(*) from tweets where author_id = u.id
       and in_reply_to_status_rest_id is null) > 3 order by (select count(*) from follows where followee_id = e.id) limit 1`,
  );
  let child: CliProcess | undefined;
  const service = await serve(world, {
    pageSize: { 'user-tweets': 1 },
    onAsked: ({ endpoint }) => void (endpoint === 'user-tweets' && child?.kill('SIGKILL')),
  });
  const { env } = service;
  const command = ['crawl', 'followers', writer!.follows, '--then', 'timeline', '--then-max-pages', '1'];
  child = spawnCli([...command, '--concurrency', '1'], { env });
  expect(await child.exited).toBeNull();
  child = undefined;
  const named = await runCli(['crawl', 'timeline', `id:${writer!.id}`, '--max-pages', '1', '--json'], { env });
  expect({ code: named.code, ...JSON.parse(named.stdout) }).toMatchObject({
    code: 3,
    crawls: [{ state: 'partial', reason: 'max_pages', parentId: 1 }],
  });
  // For the snowball, it ended as requested.
  await runSuccessfully(command, { env });
});
