import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { createSeededRandom } from '#base/seeded-random.ts';
import { buildChildEnvironment } from '#config.ts';
import { startRedis } from '#crawl/queue/redis/start-redis.ts';
import { type CliProcess, type CliResult, runCli, spawnCli } from '../support/cli.ts';
import { countKills, killSeed, recordKill } from '../support/kills/killed-trawl.ts';
import { type Asked, askedTwice, digestsOf, followedBy, integrityOf, serve, valueOf, withWorld } from './support.ts';

/** When a process is killed: at the n-th request since its start, or right after the response to it. */
interface Point {
  readonly n: number;
  readonly when: 'asked' | 'answered';
}

const SEED = killSeed ?? 20_240_607;
const PAGES = 30;
const MOST_REFETCHED = 2;
/** How often each crawl is killed, once and twice in turn. The simulation kills at every await. */
const KILLS = Array.from({ length: countKills(2) }, (_, i) => 1 + (i % 2));
const TIMEOUT_MS = Math.max(300_000, 20_000 * KILLS.length);
const world = withWorld(250, 7);

/** The points at which each crawl is killed, none of them after the last response. */
function pointsOf(requests: number): Point[][] {
  const random = createSeededRandom(SEED, 'kills');
  return KILLS.map((kills) =>
    Array.from({ length: kills }, () =>
      random.chance(0.5)
        ? { n: random.integerBetween(1, Math.floor(requests / kills)), when: 'asked' }
        : { n: random.integerBetween(1, Math.floor((requests - 1) / kills)), when: 'answered' },
    ),
  );
}

interface Outcome {
  readonly end: CliResult;
  readonly requests: number;
  /** The number of pages that were fetched again, after each kill. */
  readonly refetched: readonly number[];
  readonly content: Record<string, string>;
  readonly integrity: string;
}

/** Crawls a follower list of about thirty pages, killed at each point in turn, and then to its end by a last command. */
async function crawl(points: readonly Point[] = [], last: 'crawl' | 'work' = 'crawl'): Promise<Outcome> {
  const { handle, followers } = followedBy(world, 60);
  let child: CliProcess | undefined;
  let killAt: Point | undefined;
  const killIf = (when: Point['when'], { n }: Asked): void => {
    if (killAt?.n === n && killAt.when === when) child?.kill('SIGKILL');
  };
  const service = await serve(world, {
    pageSize: Math.ceil(followers / PAGES),
    onAsked: (asked) => killIf('asked', asked),
    onAnswered: (asked) => killIf('answered', asked),
  });
  const { db, env } = service;
  const command = ['crawl', 'followers', handle];
  const commands = { crawl: command, work: ['work', '--exit-when-idle'] };
  const twice: number[] = [];
  try {
    for (const { n, when } of points) {
      killAt = { n: service.asked.length + n, when };
      child = spawnCli(command, { env });
      expect(await child.exited, child.lines.join('\n')).toBeNull();
      recordKill();
      twice.push(askedTwice(service));
    }
    const end = await runCli(commands[last], { env });
    twice.push(askedTwice(service));
    // Invariant 8: what was sent is on record, or counted as unknown.
    const accounted = 'select (select count(*) from requests) + (select sum(unknown_requests) from crawls)';
    expect(valueOf(db, accounted)).toBeGreaterThanOrEqual(service.asked.length);
    const refetched = twice.slice(1).map((all, i) => all - twice[i]!);
    return { end, requests: service.asked.length, refetched, content: digestsOf(db), integrity: integrityOf(db) };
  } catch (error) {
    // A killed process leaves its Redis running.
    await (await startRedis({ environment: buildChildEnvironment(), storePath: db }))[Symbol.asyncDispose]();
    throw error;
  }
}

let undisturbed: Promise<Outcome> | undefined;
const undisturbedCrawl = (): Promise<Outcome> => (undisturbed ??= crawl());

test('an undisturbed crawl fetches each page once', async () => {
  const { end, requests, content } = await undisturbedCrawl();
  expect(end).toMatchObject({ code: 0, stdout: expect.stringContaining('complete') });
  expect(requests).toBeGreaterThanOrEqual(PAGES - 2);
  expect(content['requests']).toContain(`${requests} rows`);
  expect(content['raw_pages']).toContain(`${requests} rows`);
});

test(
  `crawls killed at random points (seed ${SEED}) and restarted end with the same rows (invariant 1)`,
  async () => {
    const { requests, content } = await undisturbedCrawl();
    const points = pointsOf(requests);
    const twoAtATime = pLimit(2);
    const outcomes = await Promise.all(points.map((each) => twoAtATime(() => crawl(each))));
    for (const [i, { end, refetched, ...outcome }] of outcomes.entries()) {
      const where = `killed at ${JSON.stringify(points[i])}\n${end.stderr}`;
      expect.soft(end.code, where).toBe(0);
      expect.soft(outcome.content, where).toEqual(content);
      expect.soft(outcome.integrity, where).toBe('ok');
      expect.soft(Math.max(...refetched), `pages refetched after a kill: ${where}`).toBeLessThanOrEqual(MOST_REFETCHED);
    }
  },
  TIMEOUT_MS,
);

test('a killed `trawl crawl` is completed by `trawl work` (invariant 2) with the same rows', async () => {
  const { content } = await undisturbedCrawl();
  const { end, refetched, ...outcome } = await crawl([{ n: 12, when: 'answered' }], 'work');
  expect(end, end.stderr).toMatchObject({ code: 0 });
  expect(outcome).toMatchObject({ content, integrity: 'ok' });
  expect(Math.max(...refetched)).toBeLessThanOrEqual(MOST_REFETCHED);
});
