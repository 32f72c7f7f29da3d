import { isoTime } from '#analysis/sql/iso-time.ts';
import type { HiddenData } from '#files/report/hidden.ts';
import type { Db } from '#store/sqlite/database.ts';

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
