import type { CrawlSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlEnd } from '#service/kinds/decide-end.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import { openStore, type Store } from '#store/store.ts';
import { openLeased, pageOf, progressOf } from '../store/support.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempFile } from '../support/temp.ts';

/** A store's file that `fill` has written to; nobody has it open. */
export async function storeWith(fill: (store: Store) => Promise<unknown>): Promise<string> {
  const path = createStoreFile(tempFile('mine.db'));
  await using store = openStore(path);
  await fill(store);
  return path;
}

/** A crawl with one page of so many items, which may end it. */
export async function crawled(
  store: Store,
  more: Partial<CrawlSpec>,
  end?: CrawlEnd,
  page: Partial<PageCommit> = {},
): Promise<number> {
  const { id, lease } = await openLeased(store, Date.now() - 50_000, more);
  const progress = progressOf({ cursor: 'A', items: 3 });
  await store.write.commitPage(pageOf(id, lease, Date.now() - 40_000, { progress, end, ...page }));
  return id;
}
