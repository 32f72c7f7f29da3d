import { TWEET_LISTS } from '#store/relations/list-relations.ts';
import type { Db } from '#store/sqlite/database.ts';
import type { PruneRequest } from './prune-request.ts';
import { findSearchTarget } from './pruned-searches.ts';

/** Later than all times. */
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Conditions of SQL that select what a request prunes. They read temporary tables of the connection. */
export interface PruneScope {
  /** The limit in milliseconds UTC. */
  readonly limit: number;
  /** Of a tweet `t`, without its time. */
  readonly tweets: string;
  /** Of a tweet `t` of the job that others show, too: it stays. Undefined without a job. */
  readonly sharedTweets: string | undefined;
  /** Of a body `r`, without its time. */
  readonly bodies: string;
}

/**
 * Creates the temporary tables of a request, and returns its conditions. A crawl belongs to a job if a run of the job created
 * it, and no other run or command has joined it since. A list belongs to a job if all crawls that read it do.
 */
export function createPruneScope(db: Db, { jobName, accountRestIds, olderThan }: PruneRequest): PruneScope {
  const { $client } = db;
  const limit = olderThan ?? END_OF_TIME;
  $client.exec(TABLES);
  if (accountRestIds !== undefined) {
    $client
      .prepare(
        'insert into temp.prune_accounts select id, rest_id from users where rest_id in (select value from json_each(?))',
      )
      .run(JSON.stringify(accountRestIds));
    return {
      limit,
      tweets: 't.author_id in (select id from temp.prune_accounts)',
      sharedTweets: undefined,
      bodies: `r.crawl_id in (select c.id from crawls c join temp.prune_accounts a on a.rest_id = c.target_rest_id)`,
    };
  }
  if (jobName === undefined) return { limit, tweets: 'true', sharedTweets: undefined, bodies: 'true' };
  $client.prepare(OWN_CRAWLS).run({ jobName });
  $client.exec(LISTS);
  const targetOf = findSearchTarget(db);
  const addSearch = $client.prepare('insert into temp.prune_searches values (?, ?)');
  const searches = $client.prepare<[], { id: number; query: string }>('select id, query from searches').all();
  for (const { id, query } of searches) addSearch.run(id, targetOf(query));
  return {
    limit,
    tweets: `(${ownership('min(coalesce(l.is_own, 0))')}) = 1`,
    sharedTweets: `(${ownership('max(l.has_own)')}) = 1 and (${ownership('min(coalesce(l.is_own, 0))')}) = 0`,
    bodies: 'r.crawl_id in (select id from temp.prune_crawls)',
  };
}

const TABLES = `
  drop table if exists temp.prune_accounts;
  drop table if exists temp.prune_crawls;
  drop table if exists temp.prune_lists;
  drop table if exists temp.prune_searches;
  create temp table prune_accounts (id integer primary key, rest_id text not null unique);
  create temp table prune_crawls (id integer primary key);
  create temp table prune_lists (kind text, target text, is_own integer not null, has_own integer not null, primary key (kind, target)) without rowid;
  create temp table prune_searches (id integer primary key, target text not null);
`;

/** A run that joins a crawl of another request takes it over: then no run of the job is as old as the crawl. */
const OWN_CRAWLS = `
  insert into temp.prune_crawls
  select c.id from crawls c
  join runs r on r.id = c.run_id
  join crawls top on top.id = coalesce(c.root_id, c.id)
  where r.job_name = :jobName
    and exists (select 1 from runs o where o.job_name = :jobName and o.created_at = top.created_at)
    and not exists (
      select 1 from _crawl_tree x join crawls other on other.id = x.root_id left join runs o on o.id = other.run_id
      where x.descendant_id = c.id and o.job_name is not :jobName)`;

/** Lists that were read: by the service's id of their target, or the search string without dates. */
const LISTS = `
  insert into temp.prune_lists
  select kind, coalesce(target_rest_id, target), min(id in (select id from temp.prune_crawls)),
    max(id in (select id from temp.prune_crawls))
  from crawls where pages > 0 group by 1, 2`;

/** The relations that show a tweet `t`. Searches are compared by their targets without dates. */
const LISTS_OF_TWEET = TWEET_LISTS.map(([kind, { table, tweet, owner, owners, target }]) => {
  const [from, column] = kind === 'search' ? ['temp.prune_searches', 'target'] : [owners, target];
  return ` union all select '${kind}', o.${column} from ${table} m join ${from} o on o.id = m.${owner} where m.${tweet} = t.id`;
});

/** An aggregate of the lists `l` that showed a tweet `t`; null if no such list is known. */
const ownership = (aggregate: string): string => `
  select ${aggregate} from (
    select 'timeline' as kind, u.rest_id as target from users u where u.id = t.author_id and t.seen_in_lists & 1
    union all select 'replies', u.rest_id from users u where u.id = t.author_id and t.seen_in_lists & 2
    ${LISTS_OF_TWEET.join('')}
    union all select kind, target from temp.prune_lists where kind = 'tweet' and target = t.rest_id
  ) shown left join temp.prune_lists l on l.kind = shown.kind and l.target = shown.target`;
