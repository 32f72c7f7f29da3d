import { expect, test } from 'vitest';
import { runCli, spawnCli } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(120, 9);
const DAYS = { since: '2025-03-01', until: '2025-09-01' };
const SPAN = ['--since', DAYS.since, '--until', DAYS.until];

/** Who wrote most originals in the time that is fetched, so that there is something to find. */
const writer = () =>
  rowsOf<{ handle: string; tweets: number }>(
    world.file,
    `select screen_name as handle, count(*) as tweets from tweets join users on users.id = author_id
     where tweets.created_at >= unixepoch(?) * 1000 and tweets.created_at < unixepoch(?) * 1000
     group by author_id order by 2 desc limit 1`,
    DAYS.since,
    DAYS.until,
  )[0]!;

test('a backfill of an account finds every tweet of its time, window by window, and asks for nothing twice', async () => {
  const { handle, tweets } = writer();
  const service = await serve(world, { pageSize: 1000 });
  const db = tempFile('backfill.db');
  const env = { ...service.env, TRAWL_DB: db };
  const command = ['backfill', 'timeline', handle, ...SPAN, '--window', '14d'];

  const first = await runCli(command, { env });
  expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('14 windows\n') });
  const inTime = `select count(*) from tweets join users on users.id = author_id where screen_name = ?
    and tweets.created_at >= unixepoch(?) * 1000 and tweets.created_at < unixepoch(?) * 1000`;
  expect(valueOf(db, inTime, handle, DAYS.since, DAYS.until)).toBe(tweets);

  const asked = service.asked.length;
  const again = await runCli(command, { env });
  expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('14 windows, 14 of them completed before') });
  // The timeline itself may have grown; the searches are done.
  expect(service.asked.slice(asked).map(({ endpoint }) => endpoint)).not.toContain('search');
});

test('a backfill that is stopped goes on with the windows that are left', async () => {
  const service = await serve(world, { limit: 5, windowMs: 60_000 });
  const db = tempFile('stopped.db');
  const env = { ...service.env, TRAWL_DB: db };
  const command = ['backfill', 'search', 'the', ...SPAN, '--window', '30d', '--concurrency', '1'];
  const keys = (await serve(world)).env;

  // The quota ends it in the middle: it waits, and is told to stop.
  const stopped = spawnCli(command, { env });
  await stopped.waitForLine(/paused: the quota is low/);
  stopped.kill('SIGINT');
  expect(await stopped.exited).toBe(130);
  const done = valueOf(db, "select count(*) from crawls where state = 'complete'");
  expect(done).toBeGreaterThan(0);

  const rest = await runCli([...command, '--json'], { env: { ...keys, TRAWL_DB: db } });
  expect(rest.code).toBe(0);
  const { crawls } = JSON.parse(rest.stdout) as { crawls: { state: string }[] };
  expect(crawls).toHaveLength(7 - done);
  expect(valueOf(db, 'select count(distinct target) from crawls')).toBe(7);
});

test.each([
  [['search', 'moon since:2025-01-01', ...SPAN], 'the search string has since: or until: of its own'],
  [['timeline', 'id:1', ...SPAN], 'a backfill searches by handle, not by id'],
  [['search', 'moon', '--since', '2025-09-01', '--until', '2025-03-01'], '--until should be later than --since'],
  [['search', 'moon', ...SPAN, '--window', '36h'], '--window should be whole days, such as 7d'],
])('backfill %j is refused: %s', async (args, message) => {
  const { code, stderr } = await runCli(['backfill', ...args]);
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(`trawl: ${message}`) });
});
