import type { Db } from '../../store/sqlite/database.ts';
import { isoTime } from '../sql/iso-time.ts';
import type { CrawlSelection } from './crawl-selection.ts';

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
