import { beforeAll, expect, test } from 'vitest';
import { MINUTE } from '../../src/clock.ts';
import { type CliProcess, runCli, runJson, runSuccessfully, spawnCli } from '../support/cli.ts';
import { peopleOf, serve, type Service, valueOf, withWorld } from './support.ts';

/** An account of 4,000 tweets, two hundred on a page: twenty pages. */
const TWEETS = 4000;
const PAGE = 200;
const BEGIN = Date.UTC(2020, 0);
const world = withWorld(20, 7);

let account = { id: '', handle: '' };

const post = (from: number, to: number): void => {
  const insert = world.db.$client.prepare(
    `insert into tweets (rest_id, author_id, text, created_at, first_seen_at, last_seen_at)
     values (?, (select id from users where rest_id = ?), 'tweet', ?, 1, 1)`,
  );
  for (let n = from; n <= to; n++) insert.run(String(100_000 + n), account.id, BEGIN + n * MINUTE);
};

beforeAll(() => {
  account = peopleOf(world, 1)[0]!;
  world.db.$client.exec('delete from tweets');
  world.db.$client.transaction(post)(1, TWEETS);
});

const stored = (db: string): number => valueOf(db, 'select count(*) from tweets');
const pagesOf = ({ asked }: Service, from = 0): number =>
  asked.slice(from).filter(({ endpoint }) => endpoint === 'user-tweets').length;

/** Runs `trawl crawl`, and kills it when so many pages were answered. */
async function killedAfter(pages: number, service: Service, kill: { at: number; child?: CliProcess }) {
  kill.at = pages;
  kill.child = spawnCli(['crawl', 'timeline', account.handle], service);
  expect(await kill.child.exited).toBeNull();
  kill.at = 0;
}

test('a killed and restarted first crawl is complete, and a run without changes then costs one request (invariants 5 and 9)', async () => {
  const kill: { at: number; child?: CliProcess } = { at: 0 };
  const service = await serve(world, {
    pageSize: PAGE,
    onAnswered: () => {
      if (kill.at > 0 && pagesOf(service) >= kill.at) kill.child?.kill('SIGKILL');
    },
  });
  const { db, env } = service;
  await killedAfter(5, service, kill);
  const before = stored(db);
  expect(before).toBeLessThan(TWEETS);
  await killedAfter(12, service, kill);

  // Tweets are posted while it is down.
  post(TWEETS + 1, TWEETS + 30);
  await runSuccessfully(['crawl', 'timeline', account.handle, '-q'], { env });
  const again = await runCli(['crawl', 'timeline', account.handle, '--json', '-q'], { env });
  expect(again.code).toBe(0);
  expect(JSON.parse(again.stdout)).toMatchObject({
    crawls: [
      {
        kind: 'timeline',
        target: account.handle.toLowerCase(),
        state: 'complete',
        ending: 'joined',
        pages: 1,
        newItems: 30,
        requests: 1,
      },
    ],
  });
  expect(stored(db)).toBe(TWEETS + 30);
  // Two pages a kill at most, and the one for what was new.
  expect(pagesOf(service)).toBeLessThanOrEqual(TWEETS / PAGE + 2 * 2 + 1);

  const asked = service.asked.length;
  const nothing = await runJson(['crawl', 'timeline', account.handle, '-q'], { env });
  expect(nothing).toMatchObject({ crawls: [{ state: 'complete', newItems: 0, requests: 1 }] });
  expect(service.asked.slice(asked)).toMatchObject([{ endpoint: 'user-tweets' }]);
  expect(await runJson(['coverage', account.handle], { env })).toMatchObject({
    intervals: [{ kind: 'timeline', listEnd: 'served' }],
    gaps: [],
  });
  world.db.$client.exec(`delete from tweets where created_at > ${BEGIN + TWEETS * MINUTE}`);
});

test('an interrupted crawl leaves a gap that the next run fills without fetching covered pages except the first', async () => {
  const service = await serve(world, { pageSize: PAGE });
  const { db, env } = service;
  const { code } = await runCli(['crawl', 'timeline', account.handle, '--max-pages', '5', '-q'], { env });
  expect(code).toBe(3);
  expect(stored(db)).toBe(5 * PAGE);
  const asked = service.asked.length;
  await runSuccessfully(['crawl', 'timeline', account.handle, '-q'], { env });
  expect(stored(db)).toBe(TWEETS);
  expect(pagesOf(service, asked)).toBe(1 + (TWEETS - 5 * PAGE) / PAGE);
});
