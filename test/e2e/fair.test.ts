import { expect, test } from 'vitest';
import { runSuccessfully } from '../support/cli.ts';
import { rowsOf, serve, withWorld } from './support.ts';

const LONG = 4;
const SHORT = 20;
/** Pages that a crawl may take before it goes to the end of its line. */
const SLICE = 100;
const world = withWorld(1000, 7);

/** 1 when all have the same, 1/n when one has all. */
const jain = (shares: readonly number[]): number =>
  shares.reduce((sum, x) => sum + x, 0) ** 2 / (shares.length * shares.reduce((sum, x) => sum + x * x, 0));

test('crawls of one priority share the quota by slices: long crawls do not starve short ones', async () => {
  const followed = rowsOf<{ id: string; followers: number }>(
    world.file,
    `select rest_id as id, count(*) as followers from follows join users on users.id = followee_id
     group by followee_id order by followers desc, users.id`,
  );
  const long = followed.slice(0, LONG);
  const short = followed.slice(-SHORT);
  expect(long.at(-1)!.followers, 'several slices, at one follower a page').toBeGreaterThan(2.2 * SLICE);
  const { asked, env } = await serve(world, { pageSize: 1 });
  // The long ones are first in line, and more than the worker has slots for.
  const targets = [...long, ...short].map(({ id }) => `id:${id}`);
  await runSuccessfully(['enqueue', 'followers', ...targets], { env });
  await runSuccessfully(['work', '--exit-when-idle', '--concurrency', '2'], { env });

  const order = asked.map(({ parameters }) => parameters['restId']!);
  const pagesOf = (id: string, until = order.length): number =>
    order.slice(0, until).filter((each) => each === id).length;
  const shortsDone = Math.max(...short.map(({ id }) => order.lastIndexOf(id)));
  const taken = long.map(({ id }) => pagesOf(id, shortsDone));
  expect(Math.max(...taken), 'pages of a long one when the last short one ended').toBeLessThanOrEqual(SLICE);
  // The shortest of the long ones is still in need of its last page: all had as much to do until then.
  const first = Math.min(...long.map(({ id }) => order.lastIndexOf(id)));
  expect(jain(long.map(({ id }) => pagesOf(id, first))), 'how alike they were served').toBeGreaterThan(0.9);
});
