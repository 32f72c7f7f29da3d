import type { Kind } from '#service/kinds/kinds.ts';
import type { CrawlIdentity, StoredCrawl, StoredUser, StoreQueries } from './query-results.ts';

/** Stored facts that plans are based on. */

/** The cost of recent crawls of a kind. */
export interface KindStatistics {
  /** Pages that are followed by another one, and the items on them: they show the page size. */
  readonly fullPages: number;
  readonly fullItems: number;
  /** Crawls that reached the end of their list, and crawls with more than one page. */
  readonly ended: number;
  readonly ledOn: number;
  /** Finished crawls and their requests. */
  readonly crawls: number;
  readonly requests: number;
  readonly mostRequests: number;
}

/** The items of lists that were read to their end, compared with the counts of the profiles. */
export interface ListShares {
  readonly lists: number;
  readonly items: number;
  readonly reported: number;
  /** The lowest and the highest ratio of items to the count. */
  readonly least: number;
  readonly most: number;
}

/** The latest crawl of a list with a page, and the latest one that reached the end, with its number of items. */
export interface LatestCrawls {
  readonly at: number;
  readonly whole: { readonly at: number; readonly items: number } | undefined;
}

export type CountColumn = NonNullable<Kind['countColumn']>;

/** The facts of one moment. @throws StoreError */
export interface PlanningFacts extends Pick<StoreQueries, 'intervals' | 'cursorSupport'> {
  kindStatistics(kind: string): Promise<KindStatistics | undefined>;
  listShares(kind: string, reported: CountColumn): Promise<ListShares | undefined>;
  account(by: { readonly handle: string } | { readonly id: string }): Promise<StoredUser | undefined>;
  /** The latest crawls of a list under any of its names. */
  latestCrawls(kind: string, targets: readonly string[]): Promise<LatestCrawls | undefined>;
  unfinishedCrawl(crawl: CrawlIdentity): Promise<UnfinishedCrawl | undefined>;
  /** The ids of the latest known members of a list. */
  listMembers(side: NonNullable<Kind['edgeSide']>, restId: string, most: number): Promise<string[]>;
  replyCount(tweet: string): Promise<number | undefined>;
}

export type UnfinishedCrawl = Pick<StoredCrawl, 'id' | 'cursor' | 'pages' | 'items'>;
