import { openConnection } from '#store/sqlite/driver.ts';

/** The rows of a store without numbers that stores give themselves. */
const QUERIES = {
  users: 'select * from v_users order by rest_id',
  tweets: 'select * from v_tweets order by rest_id',
  parts: `select t.rest_id, 'tag' as what, h.tag as value from tweet_hashtags h join tweets t on t.id = h.tweet_id
    union all select t.rest_id, 'mention', m.screen_name from tweet_mentions m join tweets t on t.id = m.tweet_id
    union all select t.rest_id, 'media', m.type || m.url from media m join tweets t on t.id = m.tweet_id order by 1, 2, 3`,
  periods: `select r.rest_id as follower, e.rest_id as followee, f.first_seen_at, f.last_seen_at, f.first_missed_at, f.ended_at, f.last_seen_in
    from (select follower_id, followee_id, first_seen_at, last_seen_at, first_missed_at, ended_at, last_seen_in from follows
      union all select follower_id, followee_id, first_seen_at, last_seen_at, ended_at, ended_at, last_seen_in from follow_history) f
    join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by 1, 2, 3`,
  lists: `select l.crawl_id, l.side, u.rest_id, l.started_at, l.finished_at, l.body_digest from _list_snapshots l join users u on u.id = l.user_id order by 1`,
  decisions:
    'select r.rest_id as follower, e.rest_id as followee, d.crawl_id, d.started_at, d.finished_at, d.cause from _follow_decisions d join users r on r.id = d.follower_id join users e on e.id = d.followee_id order by 1, 2',
  coverage:
    'select kind, target, newest_at, newest_rest_id, oldest_at, oldest_rest_id, list_end, pages, items from coverage order by 1, 2, 3',
  gaps: 'select kind, target, newer_at, newer_rest_id, older_at, older_rest_id, reason from gaps order by 1, 2, 3',
  windows: 'select query, from_at, to_at, searched_at, crawl_id from _search_windows order by 1, 2, 3',
  deletions:
    'select t.rest_id, d.suspected_at, d.confirmed_at, d.crawl_id from _deletion_evidence d join tweets t on t.id = d.tweet_id order by 1',
  replies:
    'select t.rest_id as tweet, r.rest_id as reply, s.first_seen_at, s.last_seen_at from tweet_replies s join tweets t on t.id = s.tweet_id join tweets r on r.id = s.reply_id order by 1, 2',
  hits: 'select s.query, t.rest_id, h.rank, h.first_seen_at, h.last_seen_at from search_hits h join searches s on s.id = h.search_id join tweets t on t.id = h.tweet_id order by 1, 2',
  requests: 'select crawl_id, sent_at, endpoint, status, duration_ms, response_bytes, error from requests order by id',
  crawls: `select id, kind, target, handle, options, priority, parent_id, root_id, state, reason, ending, error, target_rest_id,
    pages, items, rejected_items, requests, erased_items, created_at, started_at, finished_at from crawls where finished_at is not null order by id`,
  unfinished:
    'select id, kind, target, handle, options, priority, created_at from crawls where finished_at is null order by id',
  tombstones: 'select hash from _tombstones order by hash',
  userHistory: `select u.rest_id, h.* from user_history h join users u on u.id = h.user_id order by u.rest_id, h.last_seen_at, h.changed_at`,
  tweetHistory: `select t.rest_id, h.* from tweet_history h join tweets t on t.id = h.tweet_id order by t.rest_id, h.last_seen_at, h.changed_at`,
} as const;

/** Columns with numbers of rows, which differ between stores. */
const OWN = ['id', 'user_id', 'tweet_id', 'author_id'];

/** Returns the rows of a store by query. @param without columns that are left out */
export function readRows(path: string, without: readonly string[] = []): Record<string, unknown[]> {
  const client = openConnection(path, { readonly: true });
  try {
    return Object.fromEntries(
      Object.entries(QUERIES).map(([name, query]) => [
        name,
        client
          .prepare<[], Record<string, unknown>>(query)
          .all()
          .map((row) => {
            const isOwn = (column: string): boolean =>
              without.includes(column) ||
              (OWN.includes(column) && !(column === 'id' && /crawls|unfinished/.test(name)));
            return Object.fromEntries(Object.entries(row).filter(([column]) => !isOwn(column)));
          }),
      ]),
    );
  } finally {
    client.close();
  }
}

/** Times at which a merge runs. */
const OF_RUN = ['_ship_targets.added_at', '_erasures.finished_at', '__drizzle_migrations.created_at'];

/** Returns all rows of all tables and views of a store, but the times of the merge itself. */
export function readEveryRow(path: string): Record<string, unknown[]> {
  const client = openConnection(path, { readonly: true });
  try {
    const names = client
      .prepare<[], string>("select name from sqlite_schema where type in ('table', 'view') order by name")
      .pluck()
      .all();
    return Object.fromEntries(
      names.map((name) => {
        const columns = client
          .prepare<[], string>(`select name from pragma_table_info('${name}')`)
          .pluck()
          .all()
          .filter((column) => !OF_RUN.includes(`${name}.${column}`));
        const list = columns.map((column) => `"${column}"`).join(', ');
        return [name, client.prepare(`select ${list} from "${name}" order by ${list}`).raw().all()];
      }),
    );
  } finally {
    client.close();
  }
}
