import type { Db } from '#store/sqlite/database.ts';
import { createConversationQueries } from '#twin/serve/queries/conversation-queries.ts';
import { createFollowQueries } from '#twin/serve/queries/follow-queries.ts';
import { createGroupQueries, createListQueries } from '#twin/serve/queries/list-queries.ts';
import { createProfileQueries } from '#twin/serve/queries/profile-queries.ts';
import { createSearchQuery } from '#twin/serve/queries/search-queries.ts';
import type { PagePosition } from '#twin/serve/queries/served-cursors.ts';
import { createTimelineQueries } from '#twin/serve/queries/timeline-queries.ts';
import type { QuotaUsage } from '#twin/serve/quota/key-quota.ts';
import type { ApiKey } from '#twin/serve/quota/twin-keys.ts';
import type { AnsweredRequest } from '#twin/serve/quota/usage-history.ts';
import type { ResponseData } from './encode-body.ts';

/** The store and a verified request. */
export interface RequestContext {
  readonly queries: TwinQueries;
  readonly key: ApiKey;
  readonly pageSize: number;
  /** The start of the page; undefined is the start of the list. */
  readonly after: PagePosition | undefined;
  /** Returns the cursor of the page after a position; undefined if the endpoint has no cursors. */
  readonly cursor: ((after: PagePosition) => string) | undefined;
  readonly usage: () => QuotaUsage;
  readonly history: () => readonly AnsweredRequest[];
}

/**
 * Returns the `data` of a response; undefined is the endpoint's 404. `target` is the required parameter (empty if there
 * is none).
 */
export type EndpointHandler = (target: string, context: RequestContext) => ResponseData | undefined;

export type TwinQueries = ReturnType<typeof createTwinQueries>;

/**
 * All queries of a store, with prepared statements.
 * @param userCacheBytes the size of the cache of listed users
 */
export const createTwinQueries = (db: Db, userCacheBytes?: number) => ({
  readSnapshot: createSnapshotReader(db),
  profiles: createProfileQueries(db),
  timelines: createTimelineQueries(db),
  follows: createFollowQueries(db, userCacheBytes),
  conversations: createConversationQueries(db),
  groups: createGroupQueries(db),
  tweetLists: createListQueries(db),
  search: createSearchQuery(db),
});

/**
 * Returns a function that runs queries in one read transaction: a response never mixes the states before and after a
 * commit of another process.
 */
function createSnapshotReader(db: Db) {
  const transaction = db.$client.transaction((read: () => unknown) => read());
  return <T>(read: () => T): T => transaction(read) as T;
}
