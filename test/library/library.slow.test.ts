import { getEventListeners } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  crawl,
  type CrawlEvent,
  enqueue,
  openStore,
  serve,
  type ServiceSettings,
  TrawlError,
  type TrawlStore,
  UnauthorizedError,
  UsageError,
  work,
} from '#index.ts';
import { withWorld } from '../e2e/support.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import * as examples from './examples.ts';

const world = withWorld(300, 7);

/** Serves the world by the library, and runs `fn` with a key for it. */
async function withService<T>(
  fn: (service: ServiceSettings) => Promise<T>,
  options: { latencyMs?: number; pageSize?: number } = {},
): Promise<T> {
  const store = openStore(world.file);
  try {
    const twin = await serve({ store, pageSize: 20, ...options });
    return await fn({ url: twin.url, key: twin.createKey({ name: 'test' }) });
  } finally {
    await store.close();
  }
}

/** An account with followers that every world has. */
const STAR = 'HarbourNews';

/** A crawl of an account's followers takes more than three seconds. */
const SLOW = { latencyMs: 100, pageSize: 5 };

const readState = (store: TrawlStore, id: number) => [...store.query('select state from crawls where id = ?', [id])];

describe('the examples of the documentation', () => {
  test('run', async () => {
    const path = join(tempDir(), 'store.db');
    await withService(async (service) => {
      expect((await examples.crawlExample(service, path)).isComplete).toBe(true);
      expect(examples.openStoreExample(path)).toEqual([]);
      expect(await examples.exportTableExample(path, join(tempDir(), 'users.csv'))).toBe(1);
      expect(await examples.enqueueExample(path)).toEqual([2]);
      expect(await examples.workExample(service, path)).toBe(0);
      expect((await examples.planExample(service, path)).quota?.limit).toBe(1000);
      expect(await examples.serveExample(path)).toBe(200);
      expect(await examples.statusExample(path)).toContainEqual(expect.stringContaining('Workers: '));
      expect(await examples.coverageExample(path)).toContainEqual(
        expect.stringMatching(/^Followers: complete as of \d/),
      );
      expect(await examples.findExample(path)).toEqual([STAR]);
      expect(await examples.queryExample(path)).toBe(
        'collected in part: the profile of HarbourNews (2 crawls at different times are needed, and there is one)',
      );
      expect(await examples.chartExample(path)).toMatch(/^<svg/);
      expect(existsSync(await examples.reportExample(path, tempFile('report.html')))).toBe(true);
      expect(await examples.errorsExample({ ...service, key: 'wrong' }, path)).toBe('the service refuses the key');
    });
  });
});

const followers = (service: ServiceSettings, path: string) => {
  const store = openStore(path, { create: true });
  return { store, run: crawl({ kind: 'followers', targets: [STAR], into: store, service }) };
};

async function readEvents(run: AsyncIterable<CrawlEvent>): Promise<CrawlEvent[]> {
  const events: CrawlEvent[] = [];
  for await (const event of run) events.push(event);
  return events;
}

describe('a run', () => {
  test('reports its crawls, and has nothing open when it has ended', async () => {
    // Timers of the test runner come and go; those of the library would keep the example of the package test alive.
    const listResources = () => process.getActiveResourcesInfo().filter((name) => name !== 'Timeout');
    const before = listResources().toSorted();
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit', 'uncaughtException', 'unhandledRejection'] as const;
    const countListeners = () => signals.map((name) => process.listenerCount(name));
    const listeners = countListeners();
    const controller = new AbortController();
    await withService(async (service) => {
      const path = join(tempDir(), 'store.db');
      const store = openStore(path, { create: true });
      const request = { kind: 'followers', targets: [STAR], into: store, service } as const;
      const run = crawl({ ...request, signal: controller.signal });
      const events = await readEvents(run);
      const states = events.flatMap((event) => (event.type === 'crawl' ? event.crawl.state : []));
      expect(states.at(-1)).toBe('complete');
      const { crawls, isComplete } = await run.done;
      expect([crawls.length, isComplete]).toEqual([1, true]);
      expect([...store.query('select count(*) as n from follows')]).toEqual([{ n: crawls[0]!.items }]);
      expect(countListeners()).toEqual(listeners);
      await store.close();
      await store.close();
      expect(() => [...store.query('select 1')]).toThrow(UsageError);
      expect(() => crawl(request)).toThrow('is closed');
    });
    expect(getEventListeners(controller.signal, 'abort')).toEqual([]);
    // The server's end of a connection closes after the client's.
    await expect.poll(() => listResources().toSorted(), { timeout: 20_000 }).toEqual(before);
  });

  test('does not disturb a second one in the same process, of another key and store', async () => {
    await withService(async (first) => {
      await withService(
        async (second) => {
          const [a, b] = [first, second].map((service) => followers(service, join(tempDir(), 'store.db')));
          await a!.run.close();
          expect((await a!.run.done).isComplete).toBe(false);
          expect((await b!.run.done).isComplete).toBe(true);
          const again = crawl({ kind: 'followers', targets: [STAR], into: a!.store, service: first });
          expect((await again.done).isComplete).toBe(true);
          await Promise.all([a!.store.close(), b!.store.close()]);
        },
        { latencyMs: 20 },
      );
    });
  });

  test('can share its store with a second one', async () => {
    await withService(async (service) => {
      const store = openStore(join(tempDir(), 'store.db'), { create: true });
      const kinds = ['followers', 'following'] as const;
      const runs = kinds.map((kind) => crawl({ kind, targets: [STAR], into: store, service }));
      expect((await Promise.all(runs.map((run) => run.done))).map(({ isComplete }) => isComplete)).toEqual([
        true,
        true,
      ]);
      await store.close();
    });
  });

  test('records the label of its key', async () => {
    await withService(async (service) => {
      const store = openStore(join(tempDir(), 'store.db'), { create: true });
      const request = { kind: 'profile', targets: [STAR], into: store } as const;
      await crawl({ ...request, service: { ...service, keyLabel: ' of the lab ' } }).done;
      expect([...store.query('select service_host, key_label from crawl_sources')]).toEqual([
        { service_host: new URL(service.url).host, key_label: 'of the lab' },
      ]);
      await store.close();
    });
  });

  test('is stopped by its signal, keeps its crawl, and a worker completes it', async () => {
    await withService(async (service) => {
      const store = openStore(join(tempDir(), 'store.db'), { create: true });
      const controller = new AbortController();
      const { signal } = controller;
      const run = crawl({ kind: 'followers', targets: [STAR], into: store, service, signal });
      for await (const event of run) if (event.type === 'crawl' && event.crawl.pages > 0) controller.abort();
      const { crawls, isComplete } = await run.done;
      expect([crawls[0]!.state, isComplete]).toEqual(['queued', false]);
      expect((await work({ store, service, exitWhenIdle: true }).done).unfinished).toBe(0);
      expect(readState(store, crawls[0]!.id)).toEqual([{ state: 'complete' }]);
      await store.close();
    }, SLOW);
  });

  test('is stopped with its store', async () => {
    await withService(async (service) => {
      const { store, run } = followers(service, join(tempDir(), 'store.db'));
      for await (const event of run) if (event.type === 'crawl' && event.crawl.pages > 0) break;
      await store.close();
      expect((await run.done).isComplete).toBe(false);
    }, SLOW);
  });

  test('rejects with a typed error if the key is refused, which the iteration throws, too', async () => {
    await withService(async (service) => {
      const { store, run } = followers({ ...service, key: 'wrong' }, join(tempDir(), 'store.db'));
      await expect(readEvents(run)).rejects.toThrow(UnauthorizedError);
      await expect(run.done).rejects.toThrow(UnauthorizedError);
      await store.close();
    });
  });
});

describe('a worker', () => {
  test('runs until it is closed, and runs what is queued meanwhile', async () => {
    await withService(async (service) => {
      const path = join(tempDir(), 'store.db');
      const store = openStore(path, { create: true });
      const worker = work({ store, service });
      const other = openStore(path);
      const [queued] = await enqueue({ kind: 'profile', targets: [STAR], into: other });
      const joined = crawl({ kind: 'profile', targets: [STAR], into: other, service });
      await joined.done;
      expect(readState(other, queued!.id)).toEqual([{ state: 'complete' }]);
      await worker.close();
      expect(await worker.done).toEqual({ unfinished: 0, hasTimedOut: false });
      await Promise.all([store.close(), other.close()]);
    });
  });
});

describe('arguments are checked before anything is started', () => {
  const service = { url: 'http://127.0.0.1:9', key: 'k' };
  const open = () => openStore(join(tempDir(), 'store.db'), { create: true });

  test('a missing store, unless it is to be created', () => {
    expect(() => openStore(join(tempDir(), 'none.db'))).toThrow(TrawlError);
  });

  test.each([
    ['no target', { targets: [] }, 'no targets'],
    ['an invalid target', { targets: ['nasa', 'a b'] }, '1 of 2 targets'],
    ['an option of other kinds', { maxPages: 2 }, 'maxPages does not apply to profile'],
    ['a depth without a kind', { depth: 2 }, 'depth, maxTargets and thenMaxPages need then'],
    ['a day in the future', { since: new Date('2100-01-01') }, 'since is in the future'],
    ['an unknown kind', { kind: 'likes' as never }, 'unknown kind'],
    ['an invalid address', { service: { url: 'nowhere', key: 'k' } }, 'service.url'],
    ['an invalid key', { service: { url: service.url, key: 'a secret' } }, 'service.key should be'],
    [
      'a label that contains the key',
      { service: { url: service.url, key: 'a-secret', keyLabel: 'my A-Secret' } },
      'service.keyLabel should be at most 64 printable characters, without the key',
    ],
  ])('%s', async (_, wrong, message) => {
    const store = open();
    expect(() => crawl({ kind: 'profile', targets: ['nasa'], into: store, service, ...wrong })).toThrow(message);
    expect([...store.query('select count(*) as n from crawls')]).toEqual([{ n: 0 }]);
    await store.close();
  });

  test('a statement that writes; integers keep all digits', async () => {
    const store = open();
    expect(() => [...store.query('delete from users')]).toThrow(UsageError);
    const [row] = store.query('select ? as a, 9007199254740993 as b, 7 as c', ['x']);
    expect(row).toEqual({ a: 'x', b: 9007199254740993n, c: 7 });
    await store.close();
  });
});
