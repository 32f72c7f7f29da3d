import { expect, it } from 'vitest';
import type { CrawlSource } from '#store/schema/commit-messages.ts';
import { newStore, readerOf, spec } from './support.ts';

const OLD: CrawlSource = { trawlVersion: '0.2.0', serviceHost: 'api.example.org', keyLabel: 'lab' };
const NEW: CrawlSource = { ...OLD, trawlVersion: '0.3.0' };
const OTHER_KEY: CrawlSource = { ...NEW, keyLabel: 'key-0a1b2c3d' };

async function openCrawl(target = 'nasa') {
  const store = newStore();
  const [crawl] = await store.write.openCrawls([spec({ target })], 1);
  const { id } = crawl!;
  const lease = (at: number, source?: CrawlSource) => store.write.takeLease(id, at, source ? 8 : 0, source);
  const db = readerOf(store);
  const rows = () => db.prepare('select * from crawl_sources order by first_used_at').all();
  const shown = () =>
    db.prepare('select trawl_version, service_host, key_label, source_count from v_crawls').raw().get();
  return { store, id, lease, rows, shown };
}

const row = (crawl_id: number, source: CrawlSource, first_used_at: number, last_used_at: number) => ({
  crawl_id,
  trawl_version: source.trawlVersion,
  service_host: source.serviceHost,
  key_label: source.keyLabel,
  first_used_at,
  last_used_at,
});

it('a crawl records each version, service and key that crawled it, and the view shows the latest', async () => {
  const { id, lease, rows, shown } = await openCrawl();
  await lease(10, OLD);
  await lease(20, OLD);
  expect(rows()).toEqual([row(id, OLD, 10, 20)]);
  expect(shown()).toEqual(['0.2.0', 'api.example.org', 'lab', 1]);

  await lease(30, NEW);
  await lease(40, OTHER_KEY);
  await lease(50, NEW);
  expect(rows()).toEqual([row(id, OLD, 10, 20), row(id, NEW, 30, 50), row(id, OTHER_KEY, 40, 40)]);
  expect(shown()).toEqual(['0.3.0', 'api.example.org', 'lab', 3]);
});

it('of two workers with clocks that differ, the latest time counts', async () => {
  const { id, lease, rows } = await openCrawl();
  await lease(30, NEW);
  await lease(20, NEW);
  expect(rows()).toEqual([row(id, NEW, 30, 30)]);
});

it('a lease without requests, or of a crawl that has ended, records nothing', async () => {
  const { store, id, lease, rows, shown } = await openCrawl();
  await lease(10);
  expect(rows()).toEqual([]);
  expect(shown()).toEqual([null, null, null, 0]);
  await store.write.cancelCrawls([id], 20);
  expect(await lease(30, NEW)).toBeUndefined();
  expect(rows()).toEqual([]);
});
