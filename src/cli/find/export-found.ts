import type { Ranking } from '#analysis/find/ranking.ts';
import type { TWEET_ORDERS } from '#analysis/find/tweet-search-sql.ts';
import type { USER_ORDERS } from '#analysis/find/user-search-sql.ts';
import { UsageError } from '#base/errors.ts';
import type { PseudonymOptions } from '#cli/export/pseudonym-options.ts';
import { runStatement } from '#cli/sql/run-statement.ts';
import { FORMATS, formatOf } from '#files/export/formats/formats.ts';

export type SortName = keyof typeof TWEET_ORDERS | keyof typeof USER_ORDERS;

export interface FindOptions extends PseudonymOptions {
  readonly db: string;
  readonly users?: true;
  readonly sort?: SortName;
  readonly limit?: number;
  readonly includeDeleted?: true;
  readonly format?: string;
  readonly json?: true;
  readonly output?: string;
}

const TWEETS = `select found.key + 1 as place, t.rest_id, t.author_rest_id, t.author, t.text, t.created_at,
  t.favorite_count, t.retweet_count, t.reply_count, t.quote_count, t.is_reply, t.in_reply_to_status_rest_id, t.deletion_state
from json_each(:ids) found join v_tweets t on t.id = found.value
order by found.key`;

const USERS = `select found.key + 1 as place, u.rest_id, u.screen_name, u.name, u.description, u.location, u.url,
  u.followers_count, u.following_count, u.statuses_count, u.created_at, u.last_seen_at
from json_each(:ids) found join v_users u on u.id = found.value
order by found.key`;

/** @throws UsageError for a file that is no list of rows */
export function checkFormat({ format, output }: Pick<FindOptions, 'format' | 'output'>): void {
  if (format === undefined && output !== undefined && output !== '-' && formatOf(output) === FORMATS.svg) {
    throw new UsageError('found rows are no chart', {
      hint: 'Count them per period with `trawl query run`, or draw a statement with `trawl sql`.',
    });
  }
}

/** Writes found rows, best first, in a format of `trawl sql`. The statement in the sidecar of a file returns them again. */
export async function exportFound({ ids, hidden }: Ranking, options: FindOptions): Promise<void> {
  const { db, users, includeDeleted, ...output } = options;
  const found = users ? { sql: USERS, known: { table: 'v_users' } } : { sql: TWEETS, known: { table: 'v_tweets' } };
  const excluded = includeDeleted ? undefined : { ...hidden };
  await runStatement({ ...found, db, parameters: { ids: JSON.stringify(ids) }, excluded }, output);
}
