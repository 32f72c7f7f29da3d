import { kindTable } from '#service/kinds/kinds.ts';
import type { Refusal } from '#store/schema/commit-messages.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createValuePreparer } from '#store/sqlite/statement.ts';
import { IS_DELETED } from './deleted-tweets.ts';

/** How many targets are tried in turn, and among how many of the newest rows they are looked for: no index has the time. */
const MOST_TARGETS = 20;
const NEWEST_ROWS = 5000;

/** Tweets that were seen most recently: those of other owners first. */
const SEEN_TWEETS = `
  select rest_id from tweets
  where id > (select max(id) from tweets) - ${NEWEST_ROWS} and rest_id <> @subject and not ${IS_DELETED}
  order by author_id is (select author_id from tweets where rest_id = @subject), last_seen_at desc, id desc
  limit ${MOST_TARGETS}`;

const listAccounts = (column: string, condition: string, time: string): string => `
  select ${column} from _user_last_seen s join users u on u.id = s.user_id
  where s.user_id > (select max(user_id) from _user_last_seen) - ${NEWEST_ROWS} and ${column} <> @subject and ${condition}
  order by ${time} desc, u.id desc limit ${MOST_TARGETS}`;

/** Targets of the latest crawls that an endpoint served. Crawls of all kinds may look accounts up by `followers`. */
const listServed = (column: string): string => `
  select ${column} from crawls c where (kind = @kind or @endpoint = 'followers')
    and ((kind = @kind and items > 0) or exists (select 1 from requests r
      where r.crawl_id = c.id and r.endpoint = @endpoint and r.status between 200 and 299 and r.error is null))
    and reason is not 'erased' and ${column} <> @subject
  order by id desc limit ${MOST_TARGETS}`;

/** What was seen most recently, by endpoint: a 404 for it is unlikely. */
const SEEN: Readonly<Record<string, string>> = {
  'tweet-detail': SEEN_TWEETS,
  'user-profile': listAccounts('u.screen_name', 'true', 's.last_seen_at'),
  followers: listAccounts('u.rest_id', 'true', 's.last_seen_at'),
  following: listAccounts('u.rest_id', 'true', 's.last_seen_at'),
};

/** What an endpoint served to some key, by the form of its targets. */
const SERVED = {
  handle: listAccounts('u.screen_name', 'u.profile_at is not null', 'u.profile_at'),
  id: listServed('target_rest_id'),
  text: listServed('target'),
} as const;

/**
 * Returns the query of targets of control requests (invariants 7 and 14): after a 404, what was seen; after a 403, what was
 * served. After the last one, and without any, the target is undefined once.
 */
export function prepareControlTargets(db: Db) {
  const prepareValue = createValuePreparer(db);
  return ({ endpoint, subject, cause }: Refusal, skip: number): string | undefined => {
    const [kind, row] = Object.entries(kindTable).find(([, one]) => one.endpoint === endpoint)!;
    const query = (cause === 'not_found' ? SEEN[endpoint] : undefined) ?? SERVED[row.idForm];
    const values = prepareValue<[object], string>(query).all({ kind, endpoint, subject });
    // All of them may be gone by now: after the last one, it is the turn of the refused request itself.
    return values[skip % (values.length + 1)];
  };
}
