import { isoTime } from '#analysis/sql/iso-time.ts';
import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Crawls that belong together: a statement that returns their ids, and its parameters. */
export interface CrawlSelection {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, string | number | null>>;
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
         union select r.sent_at from (${sql}) l cross join crawls c on c.id = l.id cross join requests r on r.crawl_id = c.id
           where c.kind in ('profile', 'followers') and r.status < 400
       )
       select ${isoTime('min(at)')} as firstAt, ${isoTime('max(at)')} as lastAt, count(distinct at / 86400000) as days from times`,
    )
    .get({ ...parameters, restId })!;

const KINDS = formatKinds(ACCOUNT_KINDS);

/**
 * The crawls that collected an account: those of its lists and its profile, searches for its tweets (backfills), and re-checks
 * of its tweets. A crawl that failed before it knew the id counts by the handle.
 */
export function selectAccountCrawls({
  restId,
  screenName,
}: {
  readonly restId: string;
  readonly screenName: string | null;
}): CrawlSelection {
  const handle = screenName?.normalize('NFC').toLowerCase() ?? null;
  return {
    sql: `select id from crawls indexed by crawls_account where target_rest_id = :account and kind in (${KINDS})
union
select id from crawls indexed by crawls_target where kind in (${KINDS}) and target = 'id:' || :account
union
select id from crawls indexed by crawls_target where kind in (${KINDS}) and target = :handle and target_rest_id is null
union
select id from crawls where kind = 'search' and target = 'from:' || :handle
union
select c.id from users u cross join tweets t on t.author_id = u.id
  cross join crawls c indexed by crawls_target on c.kind = 'tweet' and c.target = t.rest_id
  where u.rest_id = :account`,
    parameters: { account: restId, handle },
  };
}
