import type Database from 'better-sqlite3';
import { ACCOUNT_KINDS } from '../../../service/kinds/crawl-spec.ts';
import type { Identity } from './erased-identity.ts';
import { createIdentityMatcher, type IdentityMatcher } from './name-matcher.ts';

/**
 * The rows that an erasure removes, in temporary tables: `erased_users`, `erased_tweets`, `erased_searches`,
 * `erased_crawls`, and, after the search in the bodies, `erased_steps` and `erased_pages`. The statements of an erasure use
 * the functions that are defined here.
 */
const TABLES = ['users', 'tweets', 'searches', 'crawls', 'steps', 'pages'].map(
  (name) => `
  drop table if exists temp.erased_${name};
  create temp table erased_${name} (id integer primary key${name === 'tweets' ? ', rest_id text not null' : ''});`,
);

const SELECT_TWEETS = `
  insert into temp.erased_tweets
  select id, rest_id from tweets where author_id in (select id from temp.erased_users)
  union
  select t.id, t.rest_id from tweet_history h join tweets t on t.id = h.tweet_id
  where h.author_id in (select id from temp.erased_users)`;

/** Replies of others also have the ids of tweets that are not stored. */
const TWEET_IDS = `
  select rest_id from temp.erased_tweets
  union
  select in_reply_to_status_rest_id from tweets
  where in_reply_to_user_rest_id in (select value from json_each(?)) and in_reply_to_status_rest_id is not null`;

/** A crawl of a handle belongs to the account that it found. */
const SELECT_CRAWLS = `
  insert into temp.erased_crawls
  select id from crawls
  where case when kind in (ACCOUNT_KINDS) and target_rest_id is not null
    then target_rest_id in (select value from json_each(?)) else is_erased_target(kind, target) end`.replace(
  'ACCOUNT_KINDS',
  ACCOUNT_KINDS.map((kind) => `'${kind}'`).join(),
);

/** Selects the rows of accounts. Returns what finds the accounts in texts. */
export function selectRows(client: Database.Database, identity: Identity): IdentityMatcher {
  const ids = JSON.stringify([...identity.restIds]);
  client.exec(TABLES.join(''));
  client
    .prepare('insert into temp.erased_users select id from users where rest_id in (select value from json_each(?))')
    .run(ids);
  client.exec(SELECT_TWEETS);
  const tweetIds = new Set(client.prepare<[string], string>(TWEET_IDS).pluck().all(ids));
  const matcher = createIdentityMatcher(identity, tweetIds);
  defineFunctions(client, matcher);
  client.exec('insert into temp.erased_searches select id from searches where is_named_in(query)');
  client.prepare(SELECT_CRAWLS).run(ids);
  return matcher;
}

function defineFunctions(client: Database.Database, matcher: IdentityMatcher): void {
  const define = (name: string, fn: (...values: string[]) => unknown): void =>
    void client.function(name, { deterministic: true, varargs: true }, (...values) => {
      if (values.some((value) => typeof value !== 'string')) return null;
      const result = fn(...(values as string[]));
      return typeof result === 'boolean' ? Number(result) : result;
    });
  define('is_erased_id', (id) => matcher.isId(id!));
  define('is_erased_handle', (handle) => matcher.isHandle(handle!));
  define('is_erased_target', (kind, target) => matcher.isTarget(kind!, target!));
  define('is_erased_list', (kind, target) => matcher.isList(kind!, target!));
  define('is_account_target', (target) => matcher.isAccountTarget(target!));
  define('is_named_in', (text) => matcher.isNamedIn(text!));
  define('redact', (text) => matcher.redact(text!));
  define('scrub_json', (json) => matcher.scrubJson(json!));
}

/** Adds the steps with a selected page, and all steps of selected crawls; then all pages of these steps. */
export function completePages(client: Database.Database): void {
  client.exec(`
    insert into temp.erased_steps
    select id from _steps s where crawl_id in (select id from temp.erased_crawls) or exists (
      select 1 from temp.erased_pages p
      where p.id between s.first_raw_page_id and s.first_raw_page_id + length(s.response_roles) - 1);
    insert or ignore into temp.erased_pages
    select r.id from temp.erased_steps e join _steps s on s.id = e.id
    join raw_pages r on r.id between s.first_raw_page_id and s.first_raw_page_id + length(s.response_roles) - 1
      and r.crawl_id = s.crawl_id`);
}
