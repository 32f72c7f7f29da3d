import { expect, test } from 'vitest';
import { type CliProcess, runCli, spawnCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { followedBy, integrityOf, rowsOf, serve, valueOf, withWorld } from './support.ts';

/** What a snowball leaves, whatever the order in which its crawls ran. */
const CONTENT = {
  users:
    'select rest_id, screen_name, name, followers_count, following_count, verified, location, profile_at is null from users order by 1',
  follows: `select a.rest_id as follower, b.rest_id as followee from follows f
    join users a on a.id = f.follower_id join users b on b.id = f.followee_id order by 1, 2`,
  crawls: `select kind, target, options, priority, state, reason, pages, items, rejected_items, parent_id is null as root
    from crawls order by kind, target, options`,
};

const contentOf = (file: string) =>
  Object.fromEntries(Object.entries(CONTENT).map(([name, sql]) => [name, rowsOf(file, sql)]));

const world = withWorld(300, 5);

/** A snowball of depth 2, its process killed as each of these requests arrives, and at last let run. */
async function snowball(kills: readonly number[]) {
  const { handle } = followedBy(world, 12);
  const file = tempFile('snowball.db');
  let child: CliProcess | undefined;
  let killAt = 0;
  const service = await serve(world, {
    onAsked: ({ n }) => {
      if (n === killAt) child?.kill('SIGKILL');
    },
  });
  const env = { ...service.env, TRAWL_DB: file };
  const command = ['crawl', 'followers', handle, '--then', 'followers,profile', '--depth', '2'];
  for (const n of kills) {
    killAt = service.asked.length + n;
    child = spawnCli(command, { env });
    expect(await child.exited).toBeNull();
  }
  const end = await runCli([...command, '--json'], { env });
  expect(end.stderr).not.toMatch(/bug|Warning/);
  return { file, end, content: contentOf(file), asked: service.asked.length };
}

test(
  'a snowball of depth 2 that is killed three times equals one that is not (invariant 1)',
  { timeout: 120_000 },
  async () => {
    const undisturbed = await snowball([]);
    const accounts = valueOf(undisturbed.file, `select count(distinct target) from crawls where parent_id is not null`);
    expect(accounts).toBeGreaterThan(100);
    expect(undisturbed.end.code).toBe(0);

    const killed = await snowball([10, 60, 150]);
    expect(killed.end.code).toBe(0);
    expect(killed.content).toEqual(undisturbed.content);
    expect(integrityOf(killed.file)).toBe('ok');
    // Two pages at most for each of the 16 crawls that run at a time.
    expect(killed.asked).toBeLessThanOrEqual(undisturbed.asked + 3 * 2 * 16);
  },
);

test('a snowball stops at --max-targets accounts, sends each request once, and its root is complete', async () => {
  const service = await serve(world, { pageSize: 5 });
  const { handle } = followedBy(world, 30);
  const file = tempFile('limited.db');
  const env = { ...service.env, TRAWL_DB: file };
  const words = ['--then', 'profile,timeline', '--max-targets', '7', '--then-max-pages', '1', '--json'];
  const { code, stdout } = await runCli(['crawl', 'followers', handle, ...words], { env });
  const { crawls } = JSON.parse(stdout) as {
    crawls: { kind: string; state: string; parentId: number | null; target: string }[];
  };
  // A limit that the user set on the children makes nobody partial but them.
  expect(code).toBe(0);
  expect(crawls.filter(({ parentId }) => parentId === null)).toMatchObject([{ kind: 'followers', state: 'complete' }]);
  expect(new Set(crawls.filter(({ parentId }) => parentId !== null).map(({ target }) => target)).size).toBe(7);
  expect(crawls).toHaveLength(1 + 2 * 7);
  // Whether an account without tweets exists, its timeline may have to ask at the same time as its profile.
  const lists = service.asked.filter(({ endpoint }) => endpoint !== 'user-profile');
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
  const file = tempFile('named.db');
  let child: CliProcess | undefined;
  const service = await serve(world, {
    pageSize: { 'user-tweets': 1 },
    onAsked: ({ endpoint }) => void (endpoint === 'user-tweets' && child?.kill('SIGKILL')),
  });
  const env = { ...service.env, TRAWL_DB: file };
  const command = ['crawl', 'followers', writer!.follows, '--then', 'timeline', '--then-max-pages', '1'];
  child = spawnCli([...command, '--concurrency', '1'], { env });
  expect(await child.exited).toBeNull();
  child = undefined;
  const named = await runCli(['crawl', 'timeline', `id:${writer!.id}`, '--max-pages', '1', '--json'], { env });
  expect({ code: named.code, ...JSON.parse(named.stdout) }).toMatchObject({
    code: 3,
    crawls: [{ state: 'partial', reason: 'max_pages', parentId: 1 }],
  });
  // Of the snowball it is a part that did what was asked.
  expect(await runCli(command, { env })).toMatchObject({ code: 0 });
});

test(
  '--max-targets counts the accounts of all named roots together, also after a kill',
  { timeout: 180_000 },
  async () => {
    const roots = rowsOf<{ handle: string }>(
      world.file,
      `select screen_name as handle from users u join follows f on f.followee_id = u.id
     group by u.id having count(*) between 12 and 60 order by count(*) limit 3`,
    ).map(({ handle }) => handle);
    const file = tempFile('three.db');
    let child: CliProcess | undefined;
    const service = await serve(world, {
      pageSize: 5,
      onAsked: ({ n }) => void (n === 12 && child?.kill('SIGKILL')),
    });
    const env = { ...service.env, TRAWL_DB: file };
    const command = ['crawl', 'followers', ...roots, '--then', 'profile', '--max-targets', '15', '-q'];
    child = spawnCli(command, { env });
    expect(await child.exited).toBeNull();
    expect(await runCli(command, { env })).toMatchObject({ code: 0 });
    expect(valueOf(file, 'select count(*) from crawls where parent_id is null')).toBe(3);
    expect(valueOf(file, 'select count(distinct target) from crawls where parent_id is not null')).toBe(15);
  },
);
