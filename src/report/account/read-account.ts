import type { Db } from '../../store/sqlite/database.ts';
import type { CrawlSelection } from '../collection.ts';
import type { HiddenData } from '../hidden.ts';
import { isoTime } from '../iso-time.ts';

/** The account of a report, as the store knows it. Times are ISO 8601 in UTC. */
export interface ReportedAccount {
  readonly restId: string;
  /** Name, description, location and address are null if the account is hidden, or if the service has not shown them. */
  readonly name: string | null;
  readonly screenName: string | null;
  readonly description: string | null;
  readonly location: string | null;
  readonly url: string | null;
  readonly createdAt: string | null;
  readonly firstSeenAt: string;
  /** When any part of it was last seen, and when its profile was. */
  readonly lastSeenAt: string | null;
  readonly profileAt: string | null;
  /** When the service answered 404 for its id; null if it shows the account. */
  readonly unavailableSince: string | null;
  /** Whether its texts are left out of the report. */
  readonly isHidden: boolean;
  /** Its stored tweets; those that the service reports as deleted, and those that it may have deleted. */
  readonly tweets: number;
  readonly deletedTweets: number;
  readonly suspectedTweets: number;
  /** The times of its oldest and its newest stored tweet. */
  readonly oldestTweetAt: string | null;
  readonly newestTweetAt: string | null;
}

type AccountRow = Omit<ReportedAccount, 'isHidden'>;

/** Reads the account of a report. Returns undefined if it is not in the store. */
export function readAccount({ $client }: Db, restId: string, hidden: HiddenData): ReportedAccount | undefined {
  const row = $client
    .prepare<[string], AccountRow>(
      `select u.rest_id as restId, u.name, u.screen_name as screenName, u.description, u.location, u.url,
         ${isoTime('u.created_at')} as createdAt, ${isoTime('u.first_seen_at')} as firstSeenAt, ${isoTime('s.last_seen_at')} as lastSeenAt,
         ${isoTime('u.profile_at')} as profileAt,
         (select noticed_at from v_unavailable_accounts v where v.rest_id = u.rest_id) as unavailableSince,
         count(t.id) as tweets, ${isoTime('min(t.created_at)')} as oldestTweetAt, ${isoTime('max(t.created_at)')} as newestTweetAt,
         count(*) filter (where d.suspected_at > t.last_seen_at and d.confirmed_at is not null) as deletedTweets,
         count(*) filter (where d.suspected_at > t.last_seen_at and d.confirmed_at is null) as suspectedTweets
       from users u left join _user_last_seen s on s.user_id = u.id
         left join tweets t on t.author_id = u.id left join _deletion_evidence d on d.tweet_id = t.id
       where u.rest_id = ? group by u.id`,
    )
    .get(restId);
  if (!row) return undefined;
  const isHidden = hidden.isAccountHidden(restId);
  return isHidden
    ? { ...row, isHidden, name: null, description: null, location: null, url: null }
    : { ...row, isHidden };
}

/**
 * The crawls that collected an account: those of its lists and its profile, searches for its tweets (backfills), and re-checks
 * of its tweets. A crawl that failed before it knew the id counts by the handle.
 */
export function selectAccountCrawls({
  restId,
  screenName,
}: Pick<ReportedAccount, 'restId' | 'screenName'>): CrawlSelection {
  const handle = screenName?.normalize('NFC').toLowerCase() ?? null;
  return {
    sql: `select id from crawls
  where kind in ('profile', 'timeline', 'replies', 'followers', 'following')
    and (target_rest_id = :account or target = 'id:' || :account or (target_rest_id is null and target = :handle))
union
select id from crawls where kind = 'search' and target = 'from:' || :handle
union
select c.id from users u join tweets t on t.author_id = u.id
  join crawls c indexed by crawls_target on c.kind = 'tweet' and c.target = t.rest_id
  where u.rest_id = :account`,
    parameters: { account: restId, handle },
  };
}

/** When the counts of an account were observed, as far as its history shows. */
export interface ObservedTimes {
  readonly firstAt: string;
  readonly lastAt: string;
  /** The number of days on which it was. */
  readonly days: number;
}

/** Reads when the counts of an account were observed: by its crawls, and by those that showed it in lists. */
export const readObservedTimes = (
  { $client }: Db,
  restId: string,
  { sql, parameters }: CrawlSelection,
): ObservedTimes =>
  $client
    .prepare<[object], ObservedTimes>(
      `with account as (
         select u.id, u.first_seen_at, u.profile_at, s.last_seen_at, s.last_summary_at
         from users u left join _user_last_seen s on s.user_id = u.id where u.rest_id = :restId
       ), times(at) as (
         select first_seen_at from account union select profile_at from account union select last_seen_at from account
         union select last_summary_at from account
         union select h.last_seen_at from account a join user_history h on h.user_id = a.id
         union select h.changed_at from account a join user_history h on h.user_id = a.id
         union select r.sent_at from (${sql}) l join crawls c on c.id = l.id join requests r on r.crawl_id = c.id
           where c.kind in ('profile', 'followers') and r.status < 400
       )
       select ${isoTime('min(at)')} as firstAt, ${isoTime('max(at)')} as lastAt, count(distinct at / 86400000) as days from times`,
    )
    .get({ ...parameters, restId })!;
