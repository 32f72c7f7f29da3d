import type { Db } from '../store/database.ts';
import type { Data } from './body.ts';
import { createConversationReads } from './conversations.ts';
import type { Position } from './cursors.ts';
import { createGroupReads } from './groups.ts';
import type { Answered } from './history.ts';
import type { ApiKey } from './keys.ts';
import { createPeopleReads } from './people.ts';
import { createProfileReads } from './profiles.ts';
import type { Usage } from './quota.ts';
import { createSearchReads } from './search.ts';
import { createTimelineReads } from './timelines.ts';

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
