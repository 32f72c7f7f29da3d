import { expect, onTestFinished, test } from 'vitest';
import { hashKey, LEDGER_PREFIX } from '#service/quota/service-key.ts';
import { type CliProcess, runSuccessfully, spawnCli } from '../support/cli.ts';
import { GROUP, startRedisCluster, startRedisServer, startSentinelGroup } from '../support/redis-topology.ts';
import { tempDir } from '../support/temp.ts';
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
const CONCURRENCY = 2;
const HOSTS = 2;
/** The pages under way at a failure. */
const MAX_REPEATED = 2 * CONCURRENCY * (HOSTS + 1);
const TIMEOUT_MS = 240_000;

/** Processes that crawl for one database: that of the host which has it, and those of other hosts. */
interface Fleet {
  readonly service: Service;
  readonly hosts: readonly CliProcess[];
  owner: CliProcess;
  startOwner(): CliProcess;
}

/** What happens while the n-th request waits for its answer; after `false`, while the next one does. */
type Disturbances = Readonly<Record<number, (fleet: Fleet) => unknown>>;

const labelOf = (host: number): string => `host-${host}`;

/** Sends a signal to a host that runs a crawl now. Returns false if none does. */
const signalBusyHost =
  (signal: NodeJS.Signals) =>
  ({ service, hosts }: Fleet): boolean => {
    const running = rowsOf<{ label: string }>(
      service.db,
      `select key_label as label from crawl_sources s join crawls c on c.id = s.crawl_id where state = 'running'
         and last_used_at = (select max(last_used_at) from crawl_sources where crawl_id = c.id)`,
    );
    const host = hosts.find((_, i) => running.some(({ label }) => label === labelOf(i)));
    host?.kill(signal);
    return host !== undefined;
  };

/** Crawls on several hosts until all crawls have ended. */
async function crawl(redisUrl: string, disturbances: Disturbances = {}): Promise<Service> {
  const { handle, followers } = followedBy(world, 60);
  const due = new Map(Object.entries(disturbances));
  const service: Service = await serve(world, {
    ...QUOTA,
    pageSize: Math.ceil(followers / PAGES),
    async onAsked({ n }) {
      for (const [at, disturb] of due) {
        if (n < Number(at)) continue;
        due.delete(at);
        if ((await disturb(fleet)) === false) due.set(at, disturb);
      }
    },
  });
  const env = { ...service.env, REDIS_URL: redisUrl };
  const start = (option: string, db: string, label = 'owner'): CliProcess => {
    const args = ['work', option, '--concurrency', String(CONCURRENCY)];
    const child = spawnCli(args, { env: { ...env, TRAWL_DB: db, TRAWL_KEY_LABEL: label } });
    onTestFinished(() => child.kill('SIGKILL'));
    return child;
  };
  const startOwner = (): CliProcess => start('--share', service.db);
  const owner = startOwner();
  await owner.waitForLine(/"working"/);
  // A folder: other hosts open no database.
  const hosts = Array.from({ length: HOSTS }, (_, i) => start('--join', tempDir(), labelOf(i)));
  for (const host of hosts) await host.waitForLine(/working for the database of another host/);
  const fleet: Fleet = { service, hosts, owner, startOwner };
  const people = peopleOf(world, PROFILES).map((person) => person.handle);
  await runSuccessfully(['enqueue', 'followers', handle, '--yes'], { env });
  await runSuccessfully(['enqueue', 'profile', ...people, '--yes'], { env });
  const unfinished = (): number => valueOf(service.db, 'select count(*) from crawls where finished_at is null');
  await expect.poll(unfinished, { timeout: TIMEOUT_MS, interval: 250 }).toBe(0);
  expect([...due.keys()]).toEqual([]);
  // A host that was stopped goes on, and changes nothing.
  for (const host of hosts) for (const signal of ['SIGCONT', 'SIGTERM'] as const) host.kill(signal);
  for (const { exited, lines } of hosts) expect([0, null], lines.join('\n')).toContain(await exited);
  fleet.owner.kill('SIGTERM');
  expect(await fleet.owner.exited, fleet.owner.lines.join('\n')).toBe(0);
  return service;
}

/** What the crawls stored, whatever the order in which they ran, and what became of the quota. */
const outcomeOf = (service: Service) => ({
  crawls: rowsOf<{ state: string }>(service.db, 'select kind, target, state, pages, items from crawls order by 1, 2'),
  users: rowsOf(
    service.db,
    'select rest_id, screen_name, name, followers_count, profile_at is null from users order by 1',
  ),
  follows: rowsOf(
    service.db,
    `select a.rest_id as follower, b.rest_id as followee, ended_at from follows
     join users a on a.id = follower_id join users b on b.id = followee_id order by 1, 2`,
  ),
  integrity: integrityOf(service.db),
  overdrawn: service.asked.filter(({ status }) => status === 429).length,
  isRecorded:
    valueOf(service.db, 'select (select count(*) from requests) + (select sum(unknown_requests) from crawls)') >=
    service.asked.length,
  isRepeated: askedTwice(service) > MAX_REPEATED,
});

let undisturbed: ReturnType<typeof outcomeOf> | undefined;

async function crawlUndisturbed(): Promise<ReturnType<typeof outcomeOf>> {
  if (undisturbed) return undisturbed;
  const { port } = await startRedisServer();
  undisturbed = outcomeOf(await crawl(`redis://127.0.0.1:${port}`));
  expect(undisturbed.crawls.every(({ state }) => state === 'complete')).toBe(true);
  expect(undisturbed).toMatchObject({ integrity: 'ok', overdrawn: 0, isRecorded: true, isRepeated: false });
  return undisturbed;
}

const queuesOf = ({ db }: Service): string =>
  `{trawl-${valueOf<string>(db, "select value from _settings where key = 'store_id'").slice(0, 8)}}`;
const ledgerOf = ({ url, key }: Service): string =>
  `${LEDGER_PREFIX}:quota:{${hashKey({ apiUrl: url, apiKey: key })}}:v2`;

const ON_ONE_REDIS: Readonly<Record<string, Disturbances>> = {
  'a host is killed': { 20: signalBusyHost('SIGKILL') },
  'a host is stopped until others have its crawls': { 20: signalBusyHost('SIGSTOP') },
  'the process with the database is killed, and started again': {
    25: async (fleet) => {
      fleet.owner.kill('SIGKILL');
      await fleet.owner.exited;
      fleet.owner = fleet.startOwner();
    },
  },
};

/** Starts a Redis, and names what happens to it. */
const WITH_REDIS: Readonly<Record<string, () => Promise<{ url: string; disturbances: Disturbances }>>> = {
  async 'Redis loses all data'() {
    const { port, client } = await startRedisServer();
    return { url: `redis://127.0.0.1:${port}`, disturbances: { 25: () => client.flushall() } };
  },
  async 'the primary of a Sentinel group is killed'() {
    const group = await startSentinelGroup();
    return { url: `redis+sentinel://${group.hosts}/${GROUP}`, disturbances: { 20: group.killPrimary } };
  },
  async 'masters of a Redis Cluster are killed'() {
    const cluster = await startRedisCluster();
    return {
      url: `redis+cluster://127.0.0.1:${cluster.nodes[0]!.port}`,
      disturbances: {
        20: ({ service }) => cluster.killMasterOf(ledgerOf(service)),
        50: ({ service }) => cluster.killMasterOf(queuesOf(service)),
      },
    };
  },
};

const CASES = [
  ...Object.entries(ON_ONE_REDIS).map(([name, disturbances]) => [
    name,
    async () => ({ url: `redis://127.0.0.1:${(await startRedisServer()).port}`, disturbances }),
  ]),
  ...Object.entries(WITH_REDIS),
] as const;

test.each(CASES as [string, (typeof WITH_REDIS)[string]][])(
  'workers on several hosts lose nothing, and overdraw no quota, when %s (invariants 1, 2, 3 and 8)',
  { timeout: TIMEOUT_MS },
  async (_, start) => {
    const { url, disturbances } = await start();
    expect(outcomeOf(await crawl(url, disturbances))).toEqual(await crawlUndisturbed());
  },
);
