import { expect, test } from 'vitest';
import { readConfig } from '#config.ts';
import { minFreeBytes } from '#store/sqlite/disk-space.ts';
import { crawlAgainst, followers, reference } from './support.ts';

const users = (nth: number) => [1, 2].map((n) => reference(`${nth}${n}`, `s${nth}${n}`));
/** A list of three pages, and its crawl. */
async function withList() {
  const { run, ...context } = await crawlAgainst({
    followers: (_, nth) => followers(reference('1', 'a'), users(nth), nth < 3 ? `c${nth}` : null),
  });
  return { ...context, runCrawl: () => run('followers', 'id:1') };
}

test('on a full disk nothing is sent, and the crawl waits with its priority (invariant 9)', async () => {
  const { disk, runCrawl, asked } = await withList();
  Object.assign(disk, { free: 0 });
  const { slice, crawl } = await runCrawl();
  expect(slice).toMatchObject({ next: 'pause_priority', priority: 'interactive' });
  const paused = { state: 'paused', reason: 'disk', error: '0 B free, 1.0 MB are kept free' };
  expect(crawl).toMatchObject({ ...paused, consecutiveFailures: 0 });
  // The pause is written once.
  expect((await runCrawl()).crawl.leaseToken).toBe(crawl.leaseToken);
  expect(asked).toEqual([]);
});

test('while too many facts wait to be shipped, nothing is sent, and the crawl says why', async () => {
  const { disk, runCrawl, asked, ports } = await withList();
  Object.assign(disk, { backlog: { address: '/lake', bytes: 2e9, maxBytes: 1e9 } });
  const { slice, crawl } = await runCrawl();
  expect(slice).toMatchObject({ next: 'pause_priority' });
  const error = '2.0 GB of facts wait to be shipped to /lake, at most 1.0 GB may';
  expect(crawl).toMatchObject({ state: 'paused', reason: 'disk', error });
  expect(asked).toEqual([]);
  Object.assign(disk, { backlog: undefined });
  await ports.clock.sleep(1000);
  expect((await runCrawl()).crawl).toMatchObject({ state: 'complete', error: null });
});

test('a crawl that was paused for the disk resumes at its page (invariant 14)', async () => {
  const { disk, runCrawl, asked, ports } = await withList();
  Object.assign(disk, { free: 0 });
  await runCrawl();
  Object.assign(disk, { free: 1e9 });
  // The free space is read once a second.
  await ports.clock.sleep(1000);
  const { slice, crawl } = await runCrawl();
  expect(slice).toEqual({ next: 'done' });
  const complete = { state: 'complete', reason: null, error: null };
  expect(crawl).toMatchObject({ ...complete, pages: 3, requests: 4, consecutiveFailures: 0 });
  // The last one asks for the owner's count.
  expect(asked).toHaveLength(4);
});

test('500 MB are kept free by default, at most a twentieth of a small disk', () => {
  expect(minFreeBytes(undefined, 1e12)).toBe(500e6);
  expect(minFreeBytes(undefined, 1e9)).toBe(50e6);
  const of = (text: string) => minFreeBytes(readConfig({ TRAWL_MIN_FREE_DISK: text }).minFree, 1e12);
  expect(['0', '500MB', '1.5gb', '2%', '300 kB', '4096B'].map(of)).toEqual([0, 500e6, 1.5e9, 2e10, 3e5, 4096]);
  for (const wrong of ['500', '-1MB', '101%', 'much', '1 PB'])
    expect(() => readConfig({ TRAWL_MIN_FREE_DISK: wrong })).toThrow('TRAWL_MIN_FREE_DISK should be a size');
});
