import type Database from 'better-sqlite3';
import { EDGE_RELATIONS, joinTweets, TWEET_LISTS } from '#store/relations/list-relations.ts';
import { ERASE_CRAWL_COLUMNS } from './erased-mark.ts';

/**
 * Crawls of erased accounts, and the claims of the crawls of others.
 *
 * A crawl of an erased account keeps its row, since requests, runs and child crawls refer to it: its kind, state, times and
 * requests. It is `cancelled`, with the reason `erased`, and no command resumes it.
 */

const ERASE_CRAWLS = `
  update crawls set ${ERASE_CRAWL_COLUMNS}, state = 'cancelled', reason = 'erased', ending = null,
    locked_by = null, lock_expires_at = null, resume_at = null, lease_token = lease_token + 1,
    finished_at = coalesce(finished_at, @at), updated_at = max(updated_at, coalesce(finished_at, @at))
  where id in (select id from temp.erased_crawls)`;

/** The bodies of a step go together: otherwise the id of a removed one could be given to another page. */
const ERASE_PAGES = `
  update _steps set withheld = 'erased', first_raw_page_id = null
  where id in (select id from temp.erased_steps) and response_roles <> '';
  update _steps set outcome = json_object('pages', outcome ->> '$.pages')
  where crawl_id in (select id from temp.erased_crawls) and outcome is not null;
  delete from _raw_page_times where raw_page_id in (select id from temp.erased_pages);
  delete from raw_pages where id in (select id from temp.erased_pages)`;

/** Runs with a limit of accounts count the rows of \`_run_targets\`. */
const COUNT_RUN_TARGETS = `
  update runs set target_count = (select count(*) from _run_targets t where t.run_id = runs.id)
  where target_count > 0`;

const EDGE_ITEMS = Object.entries(EDGE_RELATIONS).flatMap(([kind, { owner, member }]) =>
  ['follows', 'follow_history'].map(
    (table) => `
      select '${kind}' as kind, u.rest_id as target, f.first_seen_at as first_at, f.last_seen_at as last_at
      from ${table} f join users u on u.id = f.${owner.name} where f.${member.name} in (select id from temp.erased_users)`,
  ),
);

const TWEET_ITEMS = TWEET_LISTS.map(
  ([kind, relation]) => `
    select '${kind}', o.${relation.target}, m.first_seen_at, ${relation.isGroup ? 't' : 'm'}.last_seen_at
    from temp.erased_tweets e join tweets t on t.id = e.id join ${joinTweets(relation)}`,
);

/** The erased items of the lists of others, with the times when they were first and last seen there. */
const ERASED_ITEMS = `
  drop table if exists temp.erased_items;
  create temp table erased_items as ${[...EDGE_ITEMS, ...TWEET_ITEMS].join(' union all ')};
  create index temp.erased_items_list on erased_items (kind, target)`;

/** The list of a crawl, as `temp.erased_items` names it. A search of a window sends dates (crawl/search/date-windows.ts). */
const LIST_TARGET = `case when crawls.kind = 'search' and crawls.options ->> '$.from' is not null
  then crawls.target
    || strftime(' since:%Y-%m-%d', (crawls.options ->> '$.from') / 1000 - iif(crawls.options ->> '$.exact', 0, 86400), 'unixepoch')
    || strftime(' until:%Y-%m-%d', (crawls.options ->> '$.to') / 1000, 'unixepoch')
  else coalesce(crawls.target_rest_id, crawls.target) end`;

/** The number of items that a crawl has seen: it ran while they were in the list. */
const SEEN_ITEMS = `(select count(*) from temp.erased_items e
    where e.kind = crawls.kind and e.target = ${LIST_TARGET}
      and e.last_at >= coalesce(crawls.started_at, crawls.created_at)
      and e.first_at <= coalesce(crawls.finished_at, crawls.updated_at))`;

/** Later lists are compared with the number of accounts that are left of a list (invariant 7). */
const COUNT_LISTED = `
  update _list_snapshots as s set item_count = item_count - (select count(*) from temp.erased_items e
    where e.kind = s.side and e.target = (select rest_id from users where id = s.user_id)
      and e.last_at >= s.started_at and e.first_at <= s.finished_at)
  where (side, (select rest_id from users where id = s.user_id)) in (select kind, target from temp.erased_items)`;

/** Counts, for the crawls of others, the items that are erased. Called before rows are removed. */
export function countErasedItems(client: Database.Database): void {
  client.exec(ERASED_ITEMS);
  client.exec(`
    update crawls set erased_items = erased_items + ${SEEN_ITEMS}
    where pages > 0 and (kind, ${LIST_TARGET}) in (select kind, target from temp.erased_items)`);
  client.exec(COUNT_LISTED);
}

/** Returns the crawls of others whose items are erased, and that no other store ships. Called after rows were removed and changed. */
export const listCountedCrawls = (client: Database.Database): number[] =>
  client
    .prepare<[], number>(
      `select id from crawls where pages > 0 and erased_items > 0 and id not in (select id from temp.erased_crawls)
         and id not in (select crawl_id from _merged_crawls)
         and (kind, ${LIST_TARGET}) in (select kind, target from temp.erased_items) order by id`,
    )
    .pluck()
    .all();

/** Clears crawls, steps and bodies of the selection. Called after rows were removed and changed. */
export function eraseCrawls(client: Database.Database, at: number): void {
  client.prepare(ERASE_CRAWLS).run({ at });
  client.exec(ERASE_PAGES);
  client.exec(COUNT_RUN_TARGETS);
}
