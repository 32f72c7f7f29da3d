import type { ShippedStore } from '#lake/files/lake.ts';
import type { Db } from '#store/sqlite/database.ts';

/** How far a store is merged into another one. */
export interface MergedStore {
  readonly store: string;
  readonly entry: number;
}

export const readMergedStores = ({ $client }: Db): MergedStore[] =>
  $client.prepare<[], MergedStore>('select store, entry from _merged_stores order by id').all();

/** Whether a store was merged from a lake: the lake has all facts but those of the store's own crawls. */
export function isMergedFrom(db: Db, stores: readonly ShippedStore[]): boolean {
  const merged = readMergedStores(db);
  const isThere = (each: MergedStore): boolean =>
    stores.some(({ store, entry }) => store === each.store && entry >= each.entry);
  return merged.length > 0 && merged.every(isThere);
}

/** The number of crawls of a merged store that no other store has shipped. */
export const countOwnCrawls = ({ $client }: Db): number =>
  $client
    .prepare<[], number>('select count(*) from crawls where id not in (select crawl_id from _merged_crawls)')
    .pluck()
    .get()!;
