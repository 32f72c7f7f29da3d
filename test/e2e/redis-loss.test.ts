import { expect, test } from 'vitest';
import { runSuccessfully } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { askedTwice, countStates, followedBy, peopleOf, serve, withWorld } from './support.ts';

const world = withWorld(120, 7);
const handles = (count: number): string[] => peopleOf(world, count).map(({ handle }) => handle);
const at = (engine: { connection: { path?: string } }): string => `unix://${engine.connection.path}`;

test('a Redis that is emptied while a worker runs loses no crawl (invariant 2)', async () => {
  const redis = await withRedis();
  const client = redis.connect();
  const { id } = followedBy(world, 30);
  const service = await serve(world, {
    pageSize: 2,
    async onAsked({ n }) {
      if (n === 12) await client.flushall();
    },
  });
  const env = { ...service.env, REDIS_URL: at(redis) };
  await runSuccessfully(['enqueue', 'followers', `id:${id}`], { env });
  await runSuccessfully(['enqueue', 'profile', ...handles(30)], { env });
  await runSuccessfully(['work', '--exit-when-idle', '--concurrency', '2'], { env });
  expect(countStates(env.TRAWL_DB)).toEqual([{ state: 'complete', n: 31 }]);
  expect(askedTwice(service), 'pages under way at that moment').toBeLessThanOrEqual(2);
});
