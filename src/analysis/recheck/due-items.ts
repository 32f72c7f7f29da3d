import { splitIntoBatches } from '#base/batches.ts';
import { LATEST_READING, RECHECK_OPTIONS, type CrawlSpec, type Estimate } from '#service/kinds/crawl-spec.ts';
import type { Db } from '#store/sqlite/database.ts';

/** A due tweet. Flags are 0 or 1. */
export interface DueTweet {
  readonly id: number;
  readonly restId: string;
  readonly authorId: number | null;
  readonly createdAt: number | null;
  readonly isDeleted: 0 | 1;
  /** A check since then makes it due no longer; milliseconds UTC. */
  readonly dueSince: number;
}

/** A due account. */
export interface DueUser {
  readonly id: number;
  readonly restId: string;
  readonly screenName: string | null;
  readonly isUnavailable: 0 | 1;
  /** Its latest re-check was cut short by a budget. */
  readonly wasCutShort: 0 | 1;
}

/** When the latest re-check of an item ended, unless a budget ended it: a check that fails must not hold up the others. */
const lastCheck = (kind: 'tweet' | 'profile', target: string): string =>
  `coalesce((select max(c.finished_at) from crawls c where c.kind = '${kind}' and c.target = ${target}
     and c.options = '${RECHECK_OPTIONS}' and c.state <> 'cancelled' and c.reason is not 'max_requests'), 0)`;

const SETS = `selected(id) as materialized (select id from users where rest_id in (select value from json_each(:accounts))),
  unavailable(id, noticed_at) as materialized (
    select u.id, max(e.noticed_at) from _unavailability_evidence e join users u on u.rest_id = e.rest_id
    left join _user_last_seen s on s.user_id = u.id where e.noticed_at > coalesce(s.last_seen_at, 0) group by u.id
  )`;

/** When a tweet `t` became due; null if it did not. An age is due once, and is missed if nobody asks in time. */
export const dueSince = ({ ages }: RecheckScope): string =>
  ages
    ? `(select max(t.created_at + value) from json_each(:ages)
        where :before between t.created_at + value and t.created_at + value * ${LATEST_READING})`
    : ':before';

/** All tweets of a scope that were not seen lately. */
const tweetsOf = (scope: RecheckScope): string => `
  select t.id, t.rest_id as restId, t.author_id as authorId, t.created_at as createdAt,
    d.confirmed_at is not null as isGone, a.id is not null as isOfUnavailable,
    max(t.last_seen_at, coalesce(d.confirmed_at, 0), ${lastCheck('tweet', 't.rest_id')}) as checkedAt, ${dueSince(scope)} as dueSince
  from tweets t
  left join _deletion_evidence d on d.tweet_id = t.id and d.suspected_at > t.last_seen_at
  left join unavailable a on a.id = t.author_id
  where t.last_seen_at < ${dueSince(scope)} ${scope.ages ? 'and t.created_at >= :oldest' : ''}
    ${scope.accountIds ? 'and t.author_id in (select id from selected)' : ''}`;

/** All accounts of a scope that were not seen lately, in any form. */
const usersOf = ({ accountIds }: RecheckScope): string => `
  select u.id, u.rest_id as restId, u.screen_name as screenName, a.id is not null as isGone, 0 as isOfUnavailable,
    max(coalesce(s.last_seen_at, u.first_seen_at), coalesce(a.noticed_at, 0),
      ${lastCheck('profile', "'id:' || u.rest_id")}) as checkedAt, :before as dueSince
  from users u
  left join _user_last_seen s on s.user_id = u.id
  left join unavailable a on a.id = u.id
  where coalesce(s.last_seen_at, u.first_seen_at) < :before ${accountIds ? 'and u.id in (select id from selected)' : ''}`;

const sourceOf = (scope: RecheckScope): string =>
  `with ${SETS}, items as (${scope.items === 'tweets' ? tweetsOf(scope) : usersOf(scope)})`;

/** The values of the parameters of a scope. */
export const bindScope = ({ before, ages = [], accountIds, includesGone }: RecheckScope) => ({
  before,
  ages: JSON.stringify(ages),
  oldest: before - LATEST_READING * Math.max(...ages),
  accounts: JSON.stringify(accountIds ?? []),
  includesGone: includesGone ? 1 : 0,
});

const IS_DUE = 'checkedAt < dueSince and (:includesGone or not (isGone or isOfUnavailable))';

/** Counts the items of a scope that are due, and those that are not asked for. */
export function countDueItems({ $client }: Db, scope: RecheckScope): DueItems {
  return $client
    .prepare<[object], DueItems>(
      `${sourceOf(scope)}
       select count(*) filter (where ${IS_DUE}) as due, min(checkedAt) filter (where ${IS_DUE}) as oldestCheckAt,
         count(*) filter (where isGone and not :includesGone) as gone,
         count(*) filter (where isOfUnavailable and not isGone and not :includesGone) as ofUnavailable
       from items`,
    )
    .get(bindScope(scope))!;
}

/** Reads the due tweets of a scope, the one with the oldest check first. */
export const readDueTweets = ({ $client }: Db, scope: RecheckScope): Iterable<DueTweet> =>
  $client
    .prepare<[object], DueTweet>(
      `${sourceOf(scope)}
       select id, restId, authorId, createdAt, isGone as isDeleted, dueSince from items where ${IS_DUE} order by checkedAt, id`,
    )
    .iterate(bindScope(scope));

/** Reads the due accounts of a scope, the one with the oldest check first. */
export const readDueUsers = ({ $client }: Db, scope: RecheckScope): Iterable<DueUser> =>
  $client
    .prepare<[object], DueUser>(
      `${sourceOf(scope)}
       select id, restId, screenName, isGone as isUnavailable, coalesce((
           select reason = 'max_requests' from crawls where kind = 'profile' and target = 'id:' || restId
             and options = '${RECHECK_OPTIONS}' and finished_at is not null and requests > 0 order by crawls.id desc limit 1
         ), 0) as wasCutShort
       from items where ${IS_DUE} order by checkedAt, id`,
    )
    .iterate(bindScope(scope));

/** What a re-check is about. */
export interface RecheckScope {
  readonly items: 'tweets' | 'users';
  /** Items whose last check is older are due; milliseconds UTC. An item is checked when the service shows it, or answers for it. */
  readonly before: number;
  /** Instead, tweets are due at these ages in milliseconds, if they were not seen since; `before` is now. */
  readonly ages?: readonly number[] | undefined;
  /** The service's ids of accounts: only these accounts, or tweets of these authors. All if absent. */
  readonly accountIds?: readonly string[] | undefined;
  /** Also asks for deleted tweets and unavailable accounts again. */
  readonly includesGone?: boolean | undefined;
}

/** A stored tweet or account that crawls of a selection check. */
export interface SelectedItem {
  /** The store's number. */
  readonly id: number;
  /** It was deleted or unavailable before. */
  readonly wasGone: boolean;
  /** The handle of an account before; null for tweets. */
  readonly screenName: string | null;
}

/** The crawls that check the items whose last check is the oldest, within a number of requests. */
export interface RecheckSelection {
  readonly specs: readonly CrawlSpec[];
  readonly items: readonly SelectedItem[];
  /** Requests of all crawls, and the most that one of them is expected to take. */
  readonly requests: Estimate;
  readonly longest: number;
  /** The lists among the crawls, and the tweets that they are expected to show. */
  readonly lists: { readonly crawls: number; readonly tweets: number };
}

/** The numbers of items of a scope. */
export interface DueItems {
  readonly due: number;
  /** The oldest last check of them, milliseconds UTC; null if none is due. */
  readonly oldestCheckAt: number | null;
  /** Items that are not asked for, since they are deleted or unavailable. */
  readonly gone: number;
  /** Tweets that are not asked for, since their authors are unavailable. */
  readonly ofUnavailable: number;
}

/** A crawl of a selection, with the items that it checks. */
export interface Check {
  readonly spec: CrawlSpec;
  readonly items: readonly SelectedItem[];
  readonly requests: { readonly expected: number; readonly max: number };
}

/** Adds checks while they fit into a number of requests. */
export function createSelection(maxRequests: number) {
  const specs: CrawlSpec[] = [];
  const items: SelectedItem[] = [];
  let [expected, max, longest, listCrawls, listTweets] = [0, 0, 0, 0, 0];
  return {
    get left(): number {
      return maxRequests - expected;
    },
    add(check: Check): void {
      specs.push(check.spec);
      for (const item of check.items) items.push(item);
      expected += check.requests.expected;
      max += check.requests.max;
      longest = Math.max(longest, check.requests.expected);
      if (check.items.length < 2) return;
      listCrawls += 1;
      listTweets += check.items.length;
    },
    finish: (): RecheckSelection => ({
      specs,
      items,
      requests: { min: Math.min(specs.length, expected), expected, max },
      longest,
      lists: { crawls: listCrawls, tweets: listTweets },
    }),
  };
}

/** What checks have shown of their items. */
export interface RecheckCounts {
  /** Items that the service showed or answered for. */
  readonly checked: number;
  readonly present: number;
  /** Deleted tweets. */
  readonly deleted: number;
  /** Unavailable accounts, or tweets of such accounts. */
  readonly unavailable: number;
  /** Present accounts with another handle than before. */
  readonly renamed: number;
  /** Of these, accounts whose earlier handle another account has now. */
  readonly handlesTaken: number;
  /** Present items that were deleted or unavailable before. */
  readonly restored: number;
}

type State = 'present' | 'deleted' | 'unavailable' | null;

const hasAnswer = (kind: 'tweet' | 'profile', target: string): string =>
  `exists (select 1 from crawls c where c.kind = '${kind}' and c.target = ${target} and c.options = '${RECHECK_OPTIONS}'
     and c.state = 'complete' and c.finished_at >= :since)`;

const UNAVAILABLE = `unavailable(rest_id) as materialized (
  select e.rest_id from _unavailability_evidence e join users u on u.rest_id = e.rest_id
  left join _user_last_seen s on s.user_id = u.id where e.noticed_at > coalesce(s.last_seen_at, 0))`;

const STATES: Readonly<Record<RecheckScope['items'], string>> = {
  tweets: `with ${UNAVAILABLE}
    select t.id, null as screenName, 0 as isTaken, case
      when t.last_seen_at >= :since then 'present'
      when d.confirmed_at >= :since or d.confirmed_at is not null and ${hasAnswer('tweet', 't.rest_id')} then 'deleted'
      when u.rest_id in (select rest_id from unavailable) then 'unavailable' end as state
    from tweets t left join users u on u.id = t.author_id
    left join _deletion_evidence d on d.tweet_id = t.id and d.suspected_at > t.last_seen_at
    where t.id in (select value from json_each(:ids))`,
  users: `with ${UNAVAILABLE}
    select u.id, u.screen_name as screenName, exists (
        select 1 from json_each(:ids) asked join users other on other.screen_name = asked.value ->> '$.screenName' collate nocase
        where asked.value ->> '$.id' = u.id and other.id <> u.id
      ) as isTaken, case
      when s.last_seen_at >= :since then 'present'
      when u.rest_id in (select rest_id from unavailable) and ${hasAnswer('profile', "'id:' || u.rest_id")} then 'unavailable'
      end as state
    from users u left join _user_last_seen s on s.user_id = u.id
    where u.id in (select value ->> '$.id' from json_each(:ids))`,
};

/** Reads what has become of selected items since a time, milliseconds UTC. */
export function readRecheckCounts(
  { $client }: Db,
  kind: RecheckScope['items'],
  items: readonly SelectedItem[],
  since: number,
): RecheckCounts {
  const read = $client.prepare<[object], { id: number; screenName: string | null; isTaken: 0 | 1; state: State }>(
    STATES[kind],
  );
  const counts = { present: 0, deleted: 0, unavailable: 0, renamed: 0, handlesTaken: 0, restored: 0 };
  for (const batch of splitIntoBatches(items)) {
    const before = new Map(batch.map((item) => [item.id, item]));
    const ids = JSON.stringify(kind === 'tweets' ? batch.map(({ id }) => id) : batch);
    for (const { id, screenName, isTaken, state } of read.all({ ids, since })) {
      const item = before.get(id)!;
      if (state === null) continue;
      counts[state] += 1;
      if (state !== 'present') continue;
      if (item.wasGone) counts.restored += 1;
      if (item.screenName === null || item.screenName.toLowerCase() === screenName?.toLowerCase()) continue;
      counts.renamed += 1;
      counts.handlesTaken += isTaken;
    }
  }
  return { checked: counts.present + counts.deleted + counts.unavailable, ...counts };
}
