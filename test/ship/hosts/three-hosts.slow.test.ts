import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { openStore } from '#store/store.ts';
import { peopleOf, rowsOf, serve, valueOf, withWorld, writeTargets } from '../../e2e/support.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { GROUP, startSentinelGroup } from '../../support/redis-topology.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { startS3Server } from '../s3/s3-server.ts';
import { type CrawlHost, startHost } from './crawl-host.ts';

const world = withWorld(60, 11);
const HOSTS = [0, 1, 2];
const TARGETS = 9;
/** Profiles of all targets: otherwise only a database that does not know an account requests its profile. */
const KINDS = ['profile', 'followers'];
const LAKE = 's3://lake/of/all';

const USERS = 'select rest_id, screen_name, name, description, followers_count, location from v_users order by 1';
const EDGES = 'select follower_rest_id, followee_rest_id from v_follows order by 1, 2';
const COMPLETE = "select target_rest_id, kind, state from crawls where kind = 'followers' order by 1";

/**
 * What happens before the n-th request to the service is answered. The host is killed so many requests before the primary that
 * there is one: no request is sent without one.
 */
const AT = { targetIsAway: 6, hostIsKilled: 10, targetReturns: 16, primaryIsKilled: 26 };

/** The number of entries that wait to be shipped to the lake. */
const countWaiting = (path: string): number =>
  valueOf(
    path,
    'select count(*) from _ship_outbox where id > (select shipped_entry from _ship_targets where address = ?)',
    LAKE,
  );

const isCrawling = (path: string): boolean =>
  rowsOf(path, 'select 1 from crawls where started_at is not null').length > 0;

test(
  'three hosts share three Sentinels and a lake in S3: whatever is killed, facts wait, and none is lost or twice',
  { timeout: 300_000 },
  async () => {
    const databases = HOSTS.map(() => tempFile('mine.db'));
    for (const path of databases) await openStore(path)[Symbol.asyncDispose]();
    const [group, s3] = await Promise.all([startSentinelGroup(), startS3Server()]);
    const hosts: CrawlHost[] = [];
    const countAllWaiting = (): number => databases.reduce((sum, db) => sum + countWaiting(db), 0);
    let waitedBefore = NaN;
    const happens: Record<keyof typeof AT, () => Promise<unknown>> = {
      async targetIsAway() {
        await s3.stop();
        waitedBefore = countAllWaiting();
      },
      async targetReturns() {
        await expect.poll(() => hosts.flatMap(({ lines }) => lines).join('\n')).toContain('the target does not answer');
        await expect.poll(countAllWaiting).toBeGreaterThan(waitedBefore);
        await s3.start();
      },
      primaryIsKilled: group.killPrimary,
      hostIsKilled: async () => hosts[2]!.kill(),
    };
    let happened: Promise<unknown> = Promise.resolve();
    const service = await serve(world, {
      pageSize: 5,
      async onAsked({ n }) {
        // Requests wait until all hosts crawl: a worker does not start without Redis.
        await vi.waitFor(() => expect(databases.every(isCrawling)).toBe(true), { timeout: 120_000 });
        const [name] = Object.entries(AT).find(([, request]) => request === n) ?? [];
        if (name) happened = happened.then(happens[name as keyof typeof AT]);
        await happened;
      },
    });

    const handles = peopleOf(world, TARGETS).map(({ handle }) => handle);
    const parts = HOSTS.map((host) => writeTargets(handles.filter((_, i) => i % HOSTS.length === host)));
    const env = { ...service.env, ...s3.env, REDIS_URL: `redis+sentinel://${group.hosts}/${GROUP}` };
    const prepare = async (db: string, i: number): Promise<void> => {
      const run = (...args: string[]) => runSuccessfully([...args, '--db', db], { env });
      await run('lake', 'add', LAKE);
      await run('lake', 'ship', '--once');
      for (const kind of KINDS) await run('enqueue', kind, '--from-file', parts[i]!, '--yes');
    };
    await Promise.all(databases.map(prepare));
    for (const db of databases)
      hosts.push(startHost(['work', '--exit-when-idle', '--ship', LAKE], { ...env, TRAWL_DB: db }));
    const codes = await Promise.all(hosts.map(({ ended }) => ended));
    expect(codes[2]).toContain(null);
    await happened;
    expect(service.asked.length).toBeGreaterThan(Math.max(...Object.values(AT)));
    // Each worker has shipped before it exited.
    expect(countAllWaiting(), hosts.flatMap(({ lines }) => lines).join('\n')).toBe(0);
    const states = databases.flatMap((db) => rowsOf<{ state: string }>(db, 'select state from crawls'));
    expect(states).toEqual(Array.from({ length: KINDS.length * TARGETS }, () => ({ state: 'complete' })));

    // Merged, they have what one database has that crawls everything.
    const [merged, one] = [join(tempDir(), 'all.db'), tempFile('one.db')];
    await runSuccessfully(['lake', 'merge', LAKE, '--db', merged], { env });
    const options = ['--from-file', writeTargets(handles), '--db', one, '--quiet', '--yes'];
    for (const kind of KINDS) await runSuccessfully(['crawl', kind, ...options], { env: service.env });
    for (const sql of [USERS, EDGES, COMPLETE]) expect(rowsOf(merged, sql)).toEqual(rowsOf(one, sql));
  },
);
