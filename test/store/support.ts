import { onTestFinished } from 'vitest';
import type { CrawlSpec } from '../../src/kinds/crawl-spec.ts';
import { NO_ROWS } from '../../src/normalise/pages.ts';
import type { PageCommit } from '../../src/store/schema/messages.ts';
import { type PageRows } from '../../src/store/schema/rows.ts';
import { type Db, openReadOnly } from '../../src/store/sqlite/database.ts';
import { type OpenStoreOptions, openStore, type Store } from '../../src/store/store.ts';
import { createStoreFile } from '../support/store-file.ts';

/** A new store, closed when the test ends. */
export function newStore(path?: string, options: OpenStoreOptions = {}): Store {
  const store = openStore(createStoreFile(path), options);
  onTestFinished(() => store[Symbol.asyncDispose]());
  return store;
}

/** A second, reading connection: what other processes see. */
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

/** A commit of one page, with everything that the test does not care about filled in. */
export const pageOf = (crawlId: number, lease: number, at: number, more: Partial<PageCommit> = {}): PageCommit => ({
  ...{ crawlId, lease, requestCursor: null, at, rows: NO_ROWS, bodies: [], requests: [], children: [] },
  progress: { cursor: null, checkpoint: null, targetRestId: null, pages: 1, items: 0, rejectedItems: 0 },
  ...more,
});
