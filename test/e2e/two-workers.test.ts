import { expect, test } from 'vitest';
import { runSuccessfully, spawnCli } from '../support/cli.ts';
import { withRedis } from '../support/redis.ts';
import { countStates, gate, peopleOf, serve, valueOf, withWorld } from './support.ts';

const CONCURRENCY = 4;
const world = withWorld(260, 7);

test('two workers in two processes share 200 targets and fetch each page once (invariants 2 and 3)', async () => {
  const bothWork = gate();
  let waiting = 0;
  const service = await serve(world, {
    // One worker asks for no more pages at a time than its concurrency: one more, and there are two at work.
    async onAsked() {
      waiting += 1;
      if (waiting > CONCURRENCY) bothWork.open();
      await bothWork.opened;
    },
  });
  const redis = await withRedis();
  const { db } = service;
  const env = { ...service.env, REDIS_URL: `unix://${redis.connection.path}` };
  const people = peopleOf(world, 200);
  const followed = people.slice(0, 20);
  const profiles = people.slice(20);
  await runSuccessfully(['enqueue', 'profile', ...profiles.map(({ handle }) => handle)], { env });
  // By id: a handle would have to be looked up first.
  await runSuccessfully(['enqueue', 'followers', ...followed.map(({ id }) => `id:${id}`)], { env });

  const workers = [1, 2].map(() =>
    spawnCli(['work', '--exit-when-idle', '--concurrency', String(CONCURRENCY)], { env }),
  );
  const codes = await Promise.all(workers.map(({ exited }) => exited));
  const logs = workers.map(({ lines }) => lines.join('\n'));

  expect(codes, logs.join('\n')).toEqual([0, 0]);
  expect(countStates(db)).toEqual([{ state: 'complete', n: 200 }]);
  const asked = service.asked.map(({ endpoint, parameters }) => JSON.stringify([endpoint, parameters]));
  expect(new Set(asked).size, 'each page once').toBe(asked.length);
  expect(valueOf(db, 'select count(*) from requests')).toBe(asked.length);
  expect(valueOf(db, 'select count(*) from raw_pages')).toBe(asked.length);
  // The owners of lists without a count are requested as well, at the end of the list.
  const requested = service.asked.flatMap(({ endpoint, parameters }) =>
    endpoint === 'user-profile' ? [parameters['screenName']!.toLowerCase()] : [],
  );
  expect(requested).toEqual(expect.arrayContaining(profiles.map(({ handle }) => handle.toLowerCase())));
  expect(valueOf(db, 'select count(*) from users where profile_at is not null')).toBe(requested.length);
  const edges = `select count(*) from follows join users on users.id = followee_id
    where rest_id in (${followed.map(({ id }) => `'${id}'`).join()})`;
  expect(valueOf(db, edges)).toBe(valueOf(world.file, edges));

  const ended = logs.map((log) => log.split('\n').filter((line) => line.includes('"msg":"crawl ended"')).length);
  expect(ended[0]! + ended[1]!, 'each crawl ended in one of them').toBe(200);
  expect(Math.min(...ended), 'crawls of the one that did less').toBeGreaterThan(0);
  for (const log of logs) expect(log).not.toMatch(/locked|SQLITE_BUSY|"level":[45]0/);
});
