import { expect, test } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { runSlice } from '../../src/engine/slice.ts';
import { createCrawlSpec } from '../../src/kinds/crawl-spec.ts';
import { minFreeBytes } from '../../src/store/sqlite/disk-space.ts';
import { crawlAgainst, followers, reference } from './support.ts';

const users = (nth: number) => [1, 2].map((n) => reference(`${nth}${n}`, `s${nth}${n}`));
const never = new AbortController().signal;
const signals = { stop: never, abort: never };

/** A list of three pages, and its crawl. */
async function listed() {
  const context = await crawlAgainst({
    followers: (_, nth) => followers(reference('1', 'a'), users(nth), nth < 3 ? `c${nth}` : null),
  });
  const spec = createCrawlSpec({ kind: 'followers', target: 'id:1', options: {}, priority: 'interactive' });
  const { id } = (await context.store.write.openCrawls([spec], 1))[0]!;
  const read = () => context.store.read.crawl(id)!;
  return { ...context, id, read, step: () => runSlice(id, context.ports, signals) };
}

test('on a full disk nothing is sent, and the crawl waits with its priority (invariant 9)', async () => {
  const { disk, step, asked, read } = await listed();
  Object.assign(disk, { free: 0 });
  expect(await step()).toMatchObject({ next: 'wait', priority: 'interactive' });
  const paused = { state: 'paused', reason: 'disk', error: '0 MB free, 1 MB are kept free' };
  expect(read()).toMatchObject({ ...paused, consecutiveFailures: 0 });
  const { leaseToken: lease } = read();
  await step();
  // Written once.
  expect(read().leaseToken).toBe(lease);
  expect(asked).toEqual([]);
});

test('a crawl that was paused for the disk resumes at its page (invariant 14)', async () => {
  const { disk, step, asked, read, ports } = await listed();
  Object.assign(disk, { free: 0 });
  await step();
  Object.assign(disk, { free: 1e9 });
  // The free space is read once a second.
  await ports.clock.sleep(1000);
  expect(await step()).toEqual({ next: 'done' });
  const complete = { state: 'complete', reason: null, error: null };
  expect(read()).toMatchObject({ ...complete, pages: 3, requests: 3, consecutiveFailures: 0 });
  expect(asked).toHaveLength(3);
});

test('500 MB are kept free by default, at most a twentieth of a small disk', () => {
  expect(minFreeBytes(undefined, 1e12)).toBe(500e6);
  expect(minFreeBytes(undefined, 1e9)).toBe(50e6);
  const of = (text: string) => minFreeBytes(readConfig({ TRAWL_MIN_FREE_DISK: text }).minFree, 1e12);
  expect(['0', '500MB', '1.5gb', '2%', '300 kB', '4096B'].map(of)).toEqual([0, 500e6, 1.5e9, 2e10, 3e5, 4096]);
  for (const wrong of ['500', '-1MB', '101%', 'much', '1 PB'])
    expect(() => readConfig({ TRAWL_MIN_FREE_DISK: wrong })).toThrow('TRAWL_MIN_FREE_DISK should be a size');
});
