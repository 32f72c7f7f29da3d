import { setImmediate as nextTurn } from 'node:timers/promises';
import { TOMBSTONES_AS_FACTS } from '#store/erasure/tombstone-facts.ts';
import { ENTITIES } from '#store/merge/merge-tweets.ts';
import { type Fact, FACT_TABLES, type FactTableName } from '#store/outbox/fact-tables.ts';
import { CRAWL_COLUMNS, CRAWLS } from '#store/outbox/outbox.ts';
import { joinTweets, toListFact, TWEET_LISTS, type TweetFact } from '#store/relations/list-relations.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { FactBatch } from './files/lake-batch.ts';

/** The rows of a line. */
const ROWS = 1000;

type SnapshotRow = readonly [crawlId: number | null, ...Fact];

/** The rows of a store that become facts. */
export interface NewSnapshot {
  /** Within a read transaction; its entries follow. */
  readonly db: Db;
  readonly batch: FactBatch;
  readonly entry: number;
  readonly takenAt: number;
  /** The lake has the facts of all rows but the tombstones. */
  readonly isMerged: boolean;
  readonly signal: AbortSignal;
}

/** Writes the rows of a store as facts of one entry. */
export async function writeSnapshot({ db, batch, entry, takenAt, isMerged, signal }: NewSnapshot): Promise<void> {
  const add = async (table: FactTableName, crawlId: number | null, rows: readonly Fact[]): Promise<void> => {
    if (rows.length === 0) return;
    signal.throwIfAborted();
    await batch.add(entry, crawlId, JSON.stringify({ [table]: rows }));
    await nextTurn();
  };
  await add('snapshots', null, [[takenAt]]);
  for (const [table, query] of Object.entries(SNAPSHOT_QUERIES) as [FactTableName, string | undefined][]) {
    if (query === undefined || (isMerged && table !== 'erasures')) continue;
    let of: number | null = null;
    let rows: Fact[] = [];
    for (const [crawlId, ...row] of db.$client.prepare(query).raw().iterate() as IterableIterator<SnapshotRow>) {
      if (crawlId !== of || rows.length === ROWS) {
        await add(table, of, rows);
        rows = [];
        of = crawlId;
      }
      rows.push(row);
    }
    await add(table, of, rows);
  }
}

/** Users and tweets as sightings: a row has values of several observations, each with its time (decision 15). */

const USER_NAMES = ['screen_name', 'name'];
const USER_SUMMARY = ['description', 'profile_image_url', 'followers_count', 'following_count'];
const USER_COLUMNS = Object.keys(FACT_TABLES.user_sightings.columns).slice(3);
const USER_PROFILE = USER_COLUMNS.slice(USER_COLUMNS.indexOf('verified') + 1);

/** A select of one sighting: the values of some columns, and null for the others. */
const select = (
  columns: readonly string[],
  head: string,
  valueOf: (column: string) => string | undefined,
  from: string,
) => `select null, ${head}, ${columns.map((column) => valueOf(column) ?? 'null').join(', ')} from ${from}`;

const among = (columns: readonly string[], value: (column: string) => string) => (column: string) =>
  columns.includes(column) ? value(column) : undefined;

/** The value of a column, unless it is older than its group. */
const current = (table: 'user' | 'tweet') => (column: string) =>
  `case when r.has_stale_columns = 1 and exists (select 1 from _${table}_stale_columns b
    where b.${table}_id = r.id and b.column_name = '${column === 'author_rest_id' ? 'author_id' : column}') then null
    else ${column === 'author_rest_id' ? 'a.rest_id' : `r.${column}`} end`;

const USERS = `(select users.*, s.last_seen_at, coalesce(s.last_summary_at, 0) as summary_at, coalesce(profile_at, 0) as full_at
  from users left join _user_last_seen s on s.user_id = users.id) r`;
/** A detail level that does not change when a user was last seen in a summary or a profile. */
const levelAt = (at: string): string =>
  `case when ${at} = 0 then 'reference' when ${at} <= r.summary_at then 'summary' when ${at} <= r.full_at then 'profile' else 'reference' end`;
const user = (head: string, valueOf: (column: string) => string | undefined, where: string, join = ''): string =>
  select(USER_COLUMNS, head, valueOf, `${USERS} ${join} where ${where}`);
const currentUser = current('user');

const USERS_AS_SIGHTINGS = [
  user("r.first_seen_at, r.rest_id, 'reference'", () => undefined, 'true'),
  user("r.last_seen_at, r.rest_id, 'reference'", among(USER_NAMES, currentUser), 'r.last_seen_at is not null'),
  user(
    "r.summary_at, r.rest_id, 'summary'",
    (column) =>
      column === 'verified'
        ? currentUser(column)
        : among(USER_SUMMARY, (name) => `case when r.summary_at >= r.full_at then ${currentUser(name)} end`)(column),
    'r.summary_at > 0',
  ),
  user(
    "r.full_at, r.rest_id, 'profile'",
    (column) =>
      among(USER_PROFILE, currentUser)(column) ??
      among(USER_SUMMARY, (name) => `case when r.full_at > r.summary_at then ${currentUser(name)} end`)(column),
    'r.full_at > 0',
  ),
  user(
    `case when b.last_seen_at = 0 then r.first_seen_at else b.last_seen_at end, r.rest_id, ${levelAt('b.last_seen_at')}`,
    (column) => `case when b.column_name = '${column}' then r.${column} end`,
    'true',
    'join _user_stale_columns b on b.user_id = r.id',
  ),
  user(
    `h.last_seen_at, r.rest_id, ${levelAt('h.last_seen_at')}`,
    (column) => `h.${column}`,
    'true',
    'join user_history h on h.user_id = r.id',
  ),
].join('\nunion all ');

const TWEET_COLUMNS = Object.keys(FACT_TABLES.tweet_sightings.columns).slice(2);
const CONTENT = [
  'author_rest_id',
  'text',
  'created_at',
  'favorite_count',
  'retweet_count',
  'reply_count',
  'quote_count',
];
const REPLY = ['in_reply_to_status_rest_id', 'in_reply_to_user_rest_id', 'in_reply_to_screen_name'];
const OBSERVED = [...CONTENT, 'has_media', ...REPLY];
const PARTS: Readonly<Record<string, string>> = {
  seen_in_lists: 'r.seen_in_lists',
  media: `(select json_group_array(json_object('type', m.type, 'url', m.url, 'width', m.width, 'height', m.height))
    from (select * from media where tweet_id = r.id order by position) m having count(*) > 0)`,
  ...Object.fromEntries(
    Object.entries(ENTITIES).map(([name, [table, column]]) => [
      name,
      `(select json_group_array(${column}) from ${table} where tweet_id = r.id having count(*) > 0)`,
    ]),
  ),
};
const tweet = (at: string, valueOf: (column: string) => string | undefined, where: string, join = ''): string =>
  select(
    TWEET_COLUMNS,
    `${at}, r.rest_id`,
    valueOf,
    `tweets r left join users a on a.id = r.author_id ${join} where ${where}`,
  );
const currentTweet = current('tweet');

const TWEETS_AS_SIGHTINGS = [
  tweet('r.first_seen_at', () => undefined, 'r.first_seen_at < r.last_seen_at'),
  tweet('r.last_seen_at', (column) => among(CONTENT, currentTweet)(column) ?? PARTS[column], 'true'),
  tweet('r.has_media_seen_at', among(['has_media'], currentTweet), 'r.has_media_seen_at is not null'),
  tweet('r.in_reply_to_seen_at', among(REPLY, currentTweet), 'r.in_reply_to_seen_at is not null'),
  tweet(
    'b.last_seen_at',
    among(OBSERVED, (column) => {
      const name = column === 'author_rest_id' ? 'author_id' : column;
      return `case when b.column_name = '${name}' then ${column === 'author_rest_id' ? 'a.rest_id' : `r.${column}`} end`;
    }),
    'true',
    'join _tweet_stale_columns b on b.tweet_id = r.id',
  ),
  tweet(
    'h.last_seen_at',
    among(OBSERVED, (column) => (column === 'author_rest_id' ? 'o.rest_id' : `h.${column}`)),
    'true',
    'join tweet_history h on h.tweet_id = r.id left join users o on o.id = h.author_id',
  ),
].join('\nunion all ');

/** What lists of tweets showed, when they first and last did. */
const selectTweets = (table: TweetFact): string =>
  TWEET_LISTS.filter(([, { fact }]) => fact === table)
    .flatMap(([kind, relation]) => {
      const select = (at: string): string => {
        const columns = { at, target: `o.${relation.target}`, tweet: 't.rest_id', rank: 'm.rank' };
        return `select null, ${toListFact([`'${kind}'`, relation], columns).join(', ')} from tweets t join ${joinTweets(relation)}`;
      };
      const first = select('m.first_seen_at');
      return relation.isGroup ? [first] : [first, `${select('m.last_seen_at')} where m.last_seen_at > m.first_seen_at`];
    })
    .join(' union all ');

/**
 * The rows of a store as facts: `crawl_id`, then the columns of the fact's table. Values get the times when they were last
 * seen; what happened between the times of a row is not known any more.
 */
const SNAPSHOT_QUERIES: Readonly<Record<FactTableName, string | undefined>> = {
  user_sightings: USERS_AS_SIGHTINGS,
  tweet_sightings: TWEETS_AS_SIGHTINGS,
  edge_sightings: `
    select null, f.first_seen_at, case f.last_seen_in when 0 then 'followers' else 'following' end,
      case f.last_seen_in when 0 then e.rest_id else r.rest_id end, case f.last_seen_in when 0 then r.rest_id else e.rest_id end, f.last_seen_at
    from (select follower_id, followee_id, first_seen_at, last_seen_at, last_seen_in from follows
      union all select follower_id, followee_id, first_seen_at, last_seen_at, last_seen_in from follow_history) f
    join users r on r.id = f.follower_id join users e on e.id = f.followee_id`,
  ...(Object.fromEntries(TWEET_LISTS.map(([, { fact }]) => [fact, selectTweets(fact)])) as Record<TweetFact, string>),
  group_sightings: TWEET_LISTS.filter(([, { isGroup }]) => isGroup)
    .map(([kind, { owners }]) => `select null, last_seen_at, '${kind}', rest_id, name, description from ${owners}`)
    .join(' union all '),
  list_snapshots: `
    select l.crawl_id, l.side, u.rest_id, l.started_at, l.finished_at, l.body_digest, l.item_count, l.owner_count
    from _list_snapshots l join users u on u.id = l.user_id`,
  follow_decisions: `
    select d.crawl_id, r.rest_id, e.rest_id, d.started_at, d.finished_at, d.cause
    from _follow_decisions d join users r on r.id = d.follower_id join users e on e.id = d.followee_id`,
  coverage_claims: `
    select c.crawl_id, c.updated_at, c.kind, c.target, c.newest_at, c.newest_rest_id, c.oldest_at, c.oldest_rest_id,
      c.list_end, g.reason, c.pages, c.items
    from coverage c left join gaps g on g.coverage_id = c.id`,
  search_windows: `
    select w.crawl_id, w.searched_at, w.query, w.from_at, w.to_at, exists (select 1 from gaps g where g.kind = 'search'
      and g.target = w.query and g.reason = 'saturated' and g.older_at = w.from_at and g.newer_at = w.to_at)
    from _search_windows w`,
  // What lists lacked is in the deletion evidence.
  list_rereads: undefined,
  deletion_evidence: `
    select d.crawl_id, d.suspected_at, t.rest_id, 0 from _deletion_evidence d join tweets t on t.id = d.tweet_id
    union all select d.crawl_id, d.confirmed_at, t.rest_id, 1
    from _deletion_evidence d join tweets t on t.id = d.tweet_id where d.confirmed_at is not null`,
  // What steps brought is in the other tables.
  steps: undefined,
  crawls: `select c.id, c.updated_at, ${CRAWL_COLUMNS} ${CRAWLS}`,
  requests: `select crawl_id, ${Object.keys(FACT_TABLES.requests.columns).join(', ')} from requests`,
  erasures: TOMBSTONES_AS_FACTS,
  snapshots: undefined,
};
