import type { Db } from '../../store/sqlite/database.ts';
import { createConversationQueries } from '../queries/conversations.ts';
import type { PagePosition } from '../queries/cursors.ts';
import { createFollowQueries } from '../queries/follows.ts';
import { createGroupQueries } from '../queries/groups.ts';
import { createProfileQueries } from '../queries/profiles.ts';
import { createTimelineQueries } from '../queries/timelines.ts';
import type { QuotaUsage } from '../quota/key-quota.ts';
import type { ApiKey } from '../quota/keys.ts';
import type { AnsweredRequest } from '../quota/usage-history.ts';
import { createSearchQuery } from '../search/search.ts';
import type { ResponseData } from './body.ts';

/** What a handler works with: the store, and one request that was let in. */
export interface RequestContext {
  readonly queries: TwinQueries;
  readonly key: ApiKey;
  /** How many items a page holds. */
  readonly pageSize: number;
  /** Where the page starts; undefined is the start of the list. */
  readonly after: PagePosition | undefined;
  /** The cursor of the page that starts after this position; undefined where the endpoint shows none. */
  readonly cursor: ((after: PagePosition) => string) | undefined;
  readonly usage: () => QuotaUsage;
  readonly history: () => readonly AnsweredRequest[];
}

/**
 * Makes the `data` of an answer; undefined is the endpoint's 404. The target is the value of its required parameter
 * (empty where there is none).
 */
export type EndpointHandler = (target: string, context: RequestContext) => ResponseData | undefined;

export type TwinQueries = ReturnType<typeof createTwinQueries>;

/** All reads of a store, their statements prepared once. */
export const createTwinQueries = (db: Db) => ({
  users: createProfileQueries(db),
  timelines: createTimelineQueries(db),
  people: createFollowQueries(db),
  conversations: createConversationQueries(db),
  groups: createGroupQueries(db),
  search: createSearchQuery(db),
});
