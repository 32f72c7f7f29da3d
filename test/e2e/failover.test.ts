import { describe, expect, test } from 'vitest';
import { hashKey, LEDGER_PREFIX } from '#service/quota/service-key.ts';
import { runProcess, runSuccessfully } from '../support/cli.ts';
import { GROUP, startRedisCluster, startSentinelGroup } from '../support/redis-topology.ts';
import {
  askedTwice,
  followedBy,
  integrityOf,
  peopleOf,
  rowsOf,
  type Service,
  serve,
  valueOf,
  withWorld,
} from './support.ts';

const world = withWorld(250, 7);
const PAGES = 30;
const PROFILES = 50;
/** Fewer requests than the crawls need, so that they pause and resume. */
const QUOTA = { limit: 40, windowMs: 3000 };
const CONCURRENCY = 3;
const TIMEOUT_MS = 180_000;

type Disturbances = Readonly<Record<number, (service: Service) => Promise<void>>>;

/** Queues crawls and runs them by a worker in a process of its own. Before the n-th request is answered, `disturb` runs. */
async function crawl(redisUrl?: string, disturb: Disturbances = {}): Promise<Service> {
  const { handle, followers } = followedBy(world, 60);
  const service: Service = await serve(world, {
    ...QUOTA,
    pageSize: Math.ceil(followers / PAGES),
    onAsked: async ({ n }) => await disturb[n]?.(service),
  });
  const env = { ...service.env, ...(redisUrl && { REDIS_URL: redisUrl }) };
  const people = peopleOf(world, PROFILES).map((person) => person.handle);
  await runSuccessfully(['enqueue', 'followers', handle, '--yes'], { env });
  await runSuccessfully(['enqueue', 'profile', ...people, '--yes'], { env });
  const args = ['work', '--exit-when-idle', '--concurrency', String(CONCURRENCY)];
  const { code, stderr } = await runProcess(args, { env });
  expect(code, stderr).toBe(0);
  return service;
}

/** What the crawls stored, whatever the order in which they ran. */
const resultOf = ({ db }: Service) => ({
  crawls: rowsOf<{ state: string }>(db, 'select kind, target, state, pages, items from crawls order by 1, 2'),
  users: rowsOf(db, 'select rest_id, screen_name, name, followers_count, profile_at is null from users order by 1'),
  follows: rowsOf(
    db,
    `select a.rest_id as follower, b.rest_id as followee, ended_at from follows
     join users a on a.id = follower_id join users b on b.id = followee_id order by 1, 2`,
  ),
  integrity: integrityOf(db),
});

/** What became of the crawls and the quota. */
const outcomeOf = (service: Service) => ({
  ...resultOf(service),
  overdrawn: service.asked.filter(({ status }) => status === 429).length,
  isRecorded:
    valueOf(service.db, 'select (select count(*) from requests) + (select sum(unknown_requests) from crawls)') >=
    service.asked.length,
  // Of the pages under way at a failover.
  isRepeated: askedTwice(service) > 2 * CONCURRENCY,
});

let undisturbed: ReturnType<typeof outcomeOf> | undefined;

async function crawlUndisturbed(): Promise<ReturnType<typeof outcomeOf>> {
  undisturbed ??= outcomeOf(await crawl());
  expect(undisturbed.crawls.every(({ state }) => state === 'complete')).toBe(true);
  expect(undisturbed).toMatchObject({ integrity: 'ok', overdrawn: 0, isRecorded: true, isRepeated: false });
  return undisturbed;
}

describe('a worker crawls on, and loses nothing', () => {
  test('when the primary of a Sentinel group is killed (invariants 2 and 8)', { timeout: TIMEOUT_MS }, async () => {
    const group = await startSentinelGroup();
    const service = await crawl(`redis+sentinel://${group.hosts}/${GROUP}`, { 20: group.killPrimary });
    expect(outcomeOf(service)).toEqual(await crawlUndisturbed());
  });

  test('when masters of a Redis Cluster are killed (invariants 2 and 8)', { timeout: TIMEOUT_MS }, async () => {
    const cluster = await startRedisCluster();
    const killLedger = async ({ url, key }: Service): Promise<void> =>
      await cluster.killMasterOf(`${LEDGER_PREFIX}:quota:{${hashKey({ apiUrl: url, apiKey: key })}}:v2`);
    const killQueues = async ({ db }: Service): Promise<void> => {
      const storeId = valueOf<string>(db, "select value from _settings where key = 'store_id'");
      await cluster.killMasterOf(`{trawl-${storeId.slice(0, 8)}}`);
    };
    const service = await crawl(`redis+cluster://127.0.0.1:${cluster.nodes[0]!.port}`, {
      20: killLedger,
      50: killQueues,
    });
    expect(outcomeOf(service)).toEqual(await crawlUndisturbed());
  });
});
