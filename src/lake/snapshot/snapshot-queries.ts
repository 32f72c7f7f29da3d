import { TOMBSTONES_AS_FACTS } from '../../store/erasure/tombstone-facts.ts';
import { FACT_TABLES, type FactTableName } from '../../store/outbox/fact-tables.ts';
import { CRAWL_COLUMNS, CRAWLS } from '../../store/outbox/outbox.ts';
import { joinTweets, toListFact, TWEET_LISTS, type TweetFact } from '../../store/relations/list-relations.ts';
import { TWEETS_AS_SIGHTINGS, USERS_AS_SIGHTINGS } from './sightings-of-rows.ts';

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
export const SNAPSHOT_QUERIES: Readonly<Record<FactTableName, string | undefined>> = {
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
