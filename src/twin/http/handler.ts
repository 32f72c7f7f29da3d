import type { Db } from '../../store/sqlite/database.ts';
import { createConversationReads } from '../queries/conversations.ts';
import type { Position } from '../queries/cursors.ts';
import { createGroupReads } from '../queries/groups.ts';
import { createPeopleReads } from '../queries/people.ts';
import { createProfileReads } from '../queries/profiles.ts';
import { createTimelineReads } from '../queries/timelines.ts';
import type { ApiKey } from '../quota/keys.ts';
import type { Usage } from '../quota/quota.ts';
import type { Answered } from '../quota/usage-history.ts';
import { createSearchReads } from '../search/search.ts';
import type { Data } from './body.ts';

/** What a handler works with: the store, and one request that was let in. */
export interface Context {
  readonly reads: Reads;
  readonly key: ApiKey;
  /** How many items a page holds. */
  readonly pageSize: number;
  /** Where the page starts; undefined is the start of the list. */
  readonly after: Position | undefined;
  /** The cursor of the page that starts after this position; undefined where the endpoint shows none. */
  readonly cursor: ((after: Position) => string) | undefined;
  readonly usage: () => Usage;
  readonly history: () => readonly Answered[];
}

/**
 * Makes the `data` of an answer; undefined is the endpoint's 404. The target is the value of its required parameter
 * (empty where there is none).
 */
export type Handler = (target: string, context: Context) => Data | undefined;

export type Reads = ReturnType<typeof createReads>;

/** All reads of a store, their statements prepared once. */
export const createReads = (db: Db) => ({
  users: createProfileReads(db),
  timelines: createTimelineReads(db),
  people: createPeopleReads(db),
  conversations: createConversationReads(db),
  groups: createGroupReads(db),
  search: createSearchReads(db),
});
