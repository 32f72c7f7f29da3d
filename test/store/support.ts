import { onTestFinished } from 'vitest';
import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import { NO_ROWS } from '#store/normalise/parse-page.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import type { PageRows, TweetRow, UserRow } from '#store/schema/normalised-rows.ts';
import { type Db, openReadOnly } from '#store/sqlite/database.ts';
import { type OpenStoreOptions, openStore, type Store } from '#store/store.ts';
import { createStoreFile } from '../support/store-file.ts';

/** A new store, closed when the test ends. */
export function newStore(path?: string, options: OpenStoreOptions = {}): Store {
  const store = openStore(createStoreFile(path), options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** A second, read-only connection, like that of another process. */
export function readerOf(store: Store): Db['$client'] {
  const { $client } = openReadOnly(store.path);
  onTestFinished(() => void $client.close());
  return $client;
}

export const spec = (more: Partial<CrawlSpec> = {}): CrawlSpec => ({
  kind: 'followers',
  target: 'nasa',
  options: '{}',
  priority: 'interactive',
  ...more,
});

export const rows = (more: Partial<PageRows> = {}): PageRows => ({ ...NO_ROWS, ...more });

/** Opens a crawl and takes its lease. */
export async function openLeased(store: Store, at: number, more: Partial<CrawlSpec> = {}) {
  const [crawl] = await store.write.openCrawls([spec(more)], at);
  const { leaseToken: lease } = (await store.write.takeLease(crawl!.id, at))!;
  return { id: crawl!.id, lease };
}

/** The progress of a page without items. */
export const progressOf = (more: Partial<PageCommit['progress']> = {}): PageCommit['progress'] => ({
  cursor: null,
  checkpoint: null,
  targetRestId: null,
  pages: 1,
  items: 0,
  rejectedItems: 0,
  ...more,
});

/** A commit of a page, with defaults for everything that a test does not set. */
export const pageOf = (crawlId: number, lease: number, at: number, more: Partial<PageCommit> = {}): PageCommit => ({
  crawlId,
  lease,
  requestCursor: null,
  at,
  rows: NO_ROWS,
  bodies: [],
  requests: [],
  children: [],
  progress: progressOf(),
  ...more,
});

/** A crawl that stores rows of a test. */
export async function startCrawl(store: Store, target = 'nasa', since = 1) {
  const { id, lease } = await openLeased(store, 1, { target });
  let at = since;
  return {
    store: (more: Parameters<typeof rows>[0]) => store.write.commitPage(pageOf(id, lease, ++at, { rows: rows(more) })),
    end: () =>
      store.write.commitPage(
        pageOf(id, lease, ++at, { end: { state: 'complete', ending: 'served' }, progress: progressOf({ pages: 0 }) }),
      ),
    handBack: () =>
      store.write.releaseLease({ crawlId: id, lease, at: ++at, state: 'queued', failures: 0, requests: [] }),
  };
}

export const user = (restId: string, more: Partial<UserRow> = {}): UserRow => ({
  restId,
  detailLevel: 'summary',
  ...more,
});

export const tweet = (restId: string, more: Partial<TweetRow> = {}): TweetRow => ({
  restId,
  media: [],
  hashtags: [],
  mentions: [],
  links: [],
  ...more,
});
