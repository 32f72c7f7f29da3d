import type { Values } from '../parse-answer.ts';
import type { Served } from '../service.ts';
import { type Evidence, describeRequest } from './evidence.ts';

type Row = Readonly<Record<string, string | number | null>>;

interface ObservedValues {
  readonly at: number;
  readonly values: Values;
  readonly by: Served;
}

const USER_COLUMNS = [
  'screen_name',
  'name',
  'description',
  'profile_image_url',
  'followers_count',
  'following_count',
  'verified',
  'location',
  'url',
  'type',
  'cover_image_url',
  'is_blue_verified',
  'can_dm',
  'has_custom_timelines',
  'is_translator',
  'favourites_count',
  'media_count',
  'statuses_count',
  'created_at',
];
export const TWEET_COLUMNS = [
  'author',
  'text',
  'created_at',
  'favorite_count',
  'retweet_count',
  'reply_count',
  'quote_count',
  'has_media',
  'in_reply_to_status_rest_id',
  'in_reply_to_user_rest_id',
  'in_reply_to_screen_name',
];

/**
 * Invariant 7, history of users and tweets: at the time of every stored response, a column has a value of a response of
 * that time. Every history row is a change of observed values. An author's picture is no observation of the account.
 */
export function checkHistory({ db, stored, fail }: Evidence): void {
  const users = new Map<string, ObservedValues[]>();
  const tweets = new Map<string, ObservedValues[]>();
  for (const by of stored) {
    for (const { id, as, values } of by.parsed?.users ?? []) {
      const { profile_image_url: picture, ...others } = values;
      push(users, id, { at: by.at, by, values: as === 'reference' || picture == null ? others : values });
    }
    for (const { id, author, values } of by.parsed?.tweets ?? []) {
      push(tweets, id, { at: by.at, by, values: author === undefined ? values : { ...values, author } });
    }
  }
  const rows = (sql: string) => db.prepare(sql).all() as Row[];
  check(
    'user',
    USER_COLUMNS,
    rows('select * from users'),
    rows('select h.*, u.rest_id from user_history h join users u on u.id = user_id order by changed_at, h.id'),
    users,
  );
  check(
    'tweet',
    TWEET_COLUMNS,
    rows('select t.*, a.rest_id as author from tweets t left join users a on a.id = author_id'),
    rows(
      `select h.*, t.rest_id, a.rest_id as author from tweet_history h join tweets t on t.id = tweet_id
       left join users a on a.id = h.author_id order by changed_at, h.id`,
    ),
    tweets,
  );

  function check(
    what: string,
    columns: readonly string[],
    present: readonly Row[],
    history: readonly Row[],
    observedById: ReadonlyMap<string, readonly ObservedValues[]>,
  ): void {
    const past = new Map<string, Row[]>();
    for (const row of history) push(past, String(row['rest_id']), row);
    for (const now of present) {
      const id = String(now['rest_id']);
      const all = observedById.get(id) ?? [];
      for (const column of columns) {
        const earlier = (past.get(id) ?? []).filter((row) => row[column] != null);
        const values = [...earlier.map((row) => row[column]!), now[column] ?? null];
        const message = `${what} ${id}: the history of ${column} is ${JSON.stringify(values)}`;
        if (values.some((value, i) => i > 0 && value === values[i - 1]))
          fail('invariant 7', `${message}, which is no change`);
        const about = all.filter((one) => one.values[column] != null);
        for (const value of values.slice(0, -1))
          if (!about.some((one) => one.values[column] === value))
            fail('invariant 7', `${message}: no response had all of these values`);
        for (const { at, by } of about) {
          const i = earlier.findIndex((row) => (row['changed_at'] as number) > at);
          const then = values.at(i)!;
          if (about.some((one) => one.at === at && one.values[column] === then)) continue;
          fail(
            'invariant 7',
            `${message}, as of ${at} ${JSON.stringify(then)}: not the values of ${describeRequest(by)}`,
          );
        }
      }
    }
  }
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
