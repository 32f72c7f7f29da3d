import { type KindName, kindTable, type TargetType } from '../../service/kinds/kinds.ts';
import type { NeededItems } from './saved-query.ts';

/** How needed data is called, found and collected. */

interface Items {
  /** The name of the items, and that of the items of an account or a job. */
  readonly any: string;
  readonly of: string;
  /** Tables and conditions of a SELECT, with the service's id of the account, or the name of the job; absent for checks. */
  readonly selectAny?: string;
  readonly selectOf?: string;
  /** A kind of crawl that collects them. */
  readonly kind?: KindName;
}

export const ITEMS: Readonly<Record<NeededItems, Items>> = {
  tweets: {
    any: 'tweets',
    of: 'tweets of',
    selectAny: 'tweets',
    selectOf: 'tweets where author_id = (select id from users where rest_id = ?)',
    kind: 'timeline',
  },
  users: {
    any: 'accounts',
    of: 'the account',
    selectAny: 'users',
    selectOf: 'users where rest_id = ?',
    kind: 'profile',
  },
  follows: {
    any: 'followers or followed accounts',
    of: 'followers or followed accounts of',
    selectAny: 'follows',
    selectOf:
      '(select id as owner from users where rest_id = ?) join follows on follower_id = owner or followee_id = owner',
    kind: 'followers',
  },
  runs: {
    any: 'runs of jobs',
    of: 'runs of the job',
    selectAny: 'runs where job_name is not null',
    selectOf: 'runs where job_name = ?',
  },
  checks: { any: 'recent checks of tweets', of: 'recent checks of the tweets of' },
};

/** `the followers of nasa`, or `followers of accounts` without an owner. */
export const describeLists = (kind: KindName, owner: string | undefined): string =>
  owner === undefined ? kindTable[kind].listName[1] : `${kindTable[kind].listName[0]} ${owner}`;

/** `tweets of nasa`, or `tweets` without an owner. */
export const describeItems = (items: NeededItems, owner: string | undefined): string =>
  owner === undefined ? ITEMS[items].any : `${ITEMS[items].of} ${owner}`;

const PLACEHOLDERS: Readonly<Record<TargetType, string>> = {
  account: '<account>',
  tweet: '<tweet>',
  community: '<community>',
  list: '<list>',
  query: '<search>',
};

/** A placeholder for the target of a crawl. */
export const placeholderOf = (kind: KindName): string => PLACEHOLDERS[kindTable[kind].targetType];
