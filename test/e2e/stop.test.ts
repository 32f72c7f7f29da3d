import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { revokeKey } from '#twin/serve/quota/twin-keys.ts';
import { type CliProcess, runCli, runSuccessfully, spawnCli } from '../support/cli.ts';
import { askedTwice, countFollowers, followedBy, gate, newKey, rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(120, 7);
const PAGE_SIZE = 3;
/** `trawl work` logs it. */
const STOPPING = /^stopping after |"msg":"stopping after /;

interface Way {
  /** The commands, the last of which is stopped. */
  readonly commands: (handle: string) => readonly (readonly string[])[];
  readonly codes: Readonly<Record<'SIGTERM' | 'SIGINT', number>>;
  /** The message for a refused key. */
  readonly refusal: string;
  /** The message that says how to resume. */
  readonly resumeHint: RegExp;
}

const ways: Readonly<Record<string, Way>> = {
  'trawl crawl': {
    commands: (handle) => [['crawl', 'followers', handle]],
    codes: { SIGTERM: 143, SIGINT: 130 },
    refusal: '\ntrawl: the service refused the API key (401)\n  Check TRAWL_API_KEY.\n',
    resumeHint: /^1 crawl unfinished and kept: the same command, or `trawl work`, resumes it$/,
  },
  'trawl work': {
    commands: (handle) => [
      ['enqueue', 'followers', handle],
      ['work', '--exit-when-idle'],
    ],
    // A supervisor must not take a requested stop for a failure.
    codes: { SIGTERM: 0, SIGINT: 0 },
    refusal: '"hint":"Check TRAWL_API_KEY.","msg":"the service refused the API key (401)"}\n',
    resumeHint: /^\{.*"msg":"1 crawl unfinished and kept: `trawl work` resumes it"\}$/,
  },
};

/** The other signal of each is in stop-without-redis.test.ts. */
const STOPPED_BY: Readonly<Record<string, 'SIGTERM' | 'SIGINT'>> = { 'trawl crawl': 'SIGTERM', 'trawl work': 'SIGINT' };

const stateOf = (db: string): Record<string, unknown> =>
  rowsOf(db, 'select state, reason, error, finished_at, consecutive_failures from crawls')[0]!;

/** Queues what the last command of a way needs, and returns that command. */
async function prepare(way: Way, handle: string, env: Record<string, string>): Promise<readonly string[]> {
  const commands = way.commands(handle);
  for (const command of commands.slice(0, -1)) await runSuccessfully(command, { env });
  return commands.at(-1)!;
}

/** A crawl on its way, in a process that gets a signal as its fifth request arrives. */
async function startAndSignal(way: Way, signal: NodeJS.Signals, answer: (child: CliProcess) => Promise<unknown>) {
  const { handle, id } = followedBy(world, 30);
  let child: CliProcess | undefined;
  const service = await serve(world, {
    pageSize: PAGE_SIZE,
    async onAsked({ n }) {
      if (n !== 5 || !child) return;
      child.kill(signal);
      await answer(child);
    },
  });
  const { db, env } = service;
  const command = await prepare(way, handle, env);
  child = spawnCli(command, { env });
  const resume = () => runSuccessfully(command, { env });
  return { child, service, db, id, resume };
}

describe.each(Object.entries(ways))('%s (invariant 1)', (name, way) => {
  test.each([STOPPED_BY[name]!])(
    'stopped by %s it stores the current page, releases the crawl, says how to resume and fetches no page twice',
    async (signal) => {
      const { child, service, db, id, resume } = await startAndSignal(way, signal, (c) => c.waitForLine(STOPPING));
      expect(await child.exited, child.lines.join('\n')).toBe(way.codes[signal]);
      expect(stateOf(db)).toEqual({
        state: 'queued',
        reason: null,
        error: null,
        finished_at: null,
        consecutive_failures: 0,
      });
      expect(valueOf(db, 'select requests from crawls')).toBe(service.asked.length);
      expect(child.lines.filter((line) => way.resumeHint.test(line))).toHaveLength(1);

      await resume();
      expect(stateOf(db)).toMatchObject({ state: 'complete', consecutive_failures: 0 });
      expect(askedTwice(service)).toBe(0);
      expect(countFollowers(db, id)).toBe(countFollowers(world.file, id));
    },
  );
});

test('a stop does not wait for a missing response, and only that page is fetched again (invariant 1)', async () => {
  await Promise.all(
    Object.values(ways).map(async (way) => {
      const never = gate();
      onTestFinished(never.open);
      const { child, service, db, id, resume } = await startAndSignal(way, 'SIGTERM', () => never.opened);
      expect(await child.exited, child.lines.join('\n')).toBe(way.codes.SIGTERM);
      expect(stateOf(db)).toMatchObject({ state: 'queued', finished_at: null, consecutive_failures: 0 });
      await resume();
      expect(askedTwice(service)).toBe(1);
      expect(countFollowers(db, id)).toBe(countFollowers(world.file, id));
    }),
  );
});

test('a stop does not wait for a token-info that hangs; the crawl is released (invariant 1)', async () => {
  await Promise.all(
    Object.values(ways).map(async (way) => {
      const [hung, never] = [gate(), gate()];
      onTestFinished(never.open);
      const { handle } = followedBy(world, 30);
      let isHanging = false;
      const service = await serve(world, {
        pageSize: PAGE_SIZE,
        // The quota runs low: token-info is asked again.
        limit: 4,
        onAsked: () => void (isHanging = true),
        async onTokenInfo() {
          if (!isHanging) return;
          hung.open();
          await never.opened;
        },
      });
      const { env } = service;
      const last = await prepare(way, handle, env);
      const child = spawnCli([...last, ...(last[0] === 'crawl' ? ['--yes'] : [])], { env });
      await hung.opened;
      child.kill('SIGTERM');
      expect(await child.exited, child.lines.join('\n')).toBe(way.codes.SIGTERM);
      // A process that is ended by force does not print it.
      expect(
        child.lines.filter((line) => way.resumeHint.test(line)),
        child.lines.join('\n'),
      ).toHaveLength(1);
    }),
  );
});

test('a second signal ends a crawl at once without losing stored pages (invariant 1)', async () => {
  const never = gate();
  onTestFinished(never.open);
  const { child, service, db, id, resume } = await startAndSignal(ways['trawl crawl']!, 'SIGINT', async (running) => {
    await running.waitForLine(STOPPING);
    running.kill('SIGINT');
    await never.opened;
  });
  expect(await child.exited).toBe(130);
  // The page before may not have been stored yet.
  const pages = valueOf(db, 'select pages from crawls');
  expect([2, 3]).toContain(pages);
  await resume();
  expect(askedTwice(service)).toBe(4 - pages);
  expect(countFollowers(db, id)).toBe(countFollowers(world.file, id));
});

test.each([
  [['crawl', 'profile', 'ada'], 130],
  [['work'], 0],
])('trawl %j can be stopped while the service does not answer its first request', async (command, code) => {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const env = { TRAWL_API_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, TRAWL_API_KEY: 'k' };
  const child = spawnCli(command, { env });
  const [socket] = await once(server, 'connection');
  await once(socket, 'data');
  child.kill('SIGINT');
  expect(await child.exited).toBe(code);
  expect(child.lines).toEqual([expect.stringMatching(STOPPING)]);
});

describe.each(Object.entries(ways))('a key that is revoked during %s', (_, way) => {
  test('stops it; with another key it resumes without fetching a page twice', async () => {
    const { handle, id } = followedBy(world, 30);
    const service = await serve(world, {
      pageSize: PAGE_SIZE,
      onAsked: ({ n }) => void (n === 5 && revoke(service.key)),
    });
    const { db, env } = service;
    const command = await prepare(way, handle, env);
    const { code, stderr } = await runCli(command, { env });
    expect(code, stderr).toBe(78);
    expect(stderr).toContain(way.refusal);
    expect(stderr.split('\n').filter((line) => way.resumeHint.test(line))).toHaveLength(1);
    expect(stateOf(db)).toMatchObject({ state: 'paused', reason: 'unauthorized', finished_at: null });

    const another = { ...env, TRAWL_API_KEY: newKey(world) };
    await runSuccessfully(command, { env: another });
    expect(stateOf(db)).toMatchObject({ state: 'complete', consecutive_failures: 0 });
    expect(askedTwice(service)).toBe(0);
    expect(countFollowers(db, id)).toBe(countFollowers(world.file, id));
  });
});

const revoke = (key: string): void => void revokeKey(world.db, key.slice(0, 12), Date.now());
