import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { type BodyEncoding, decompressBody } from '#base/raw-bodies.ts';
import { ACCOUNT_KINDS, formatKinds } from '#service/kinds/crawl-spec.ts';
import type { MentionsPolicy } from '#store/erasure/tombstones.ts';
import type { Identity } from './erased-identity.ts';
import { type IdentityMatcher, createIdentityMatcher } from './name-matcher.ts';

/** Bodies that are decompressed together. */
const BATCH = 32;

interface PageRow {
  readonly id: number;
  readonly parameters: string;
  readonly headers: string | null;
  readonly encoding: BodyEncoding;
  readonly body: Buffer;
}

export interface PageSearch {
  readonly mentions: MentionsPolicy;
  readonly signal?: AbortSignal | undefined;
  /** Called with the number of pages read. */
  readonly onProgress?: ((pages: number, total: number) => void) | undefined;
}

/**
 * Reads every stored body, and selects those that show the accounts (with `redact`, also in texts), all pages of their
 * crawls, and the other pages of the same steps.
 */
export async function selectPages(
  client: Database.Database,
  matcher: IdentityMatcher,
  { mentions, signal, onProgress }: PageSearch,
): Promise<void> {
  client.exec(
    'insert into temp.erased_pages select id from raw_pages where crawl_id in (select id from temp.erased_crawls)',
  );
  const total = client.prepare<[], number>('select count(*) from raw_pages').pluck().get()!;
  const batch = client.prepare<[number], PageRow>(
    `select id, parameters, headers, encoding, body from raw_pages
     where id > ? and id not in (select id from temp.erased_pages) order by id limit ${BATCH}`,
  );
  const select = client.prepare<[number]>('insert into temp.erased_pages values (?)');
  const isInTexts = mentions === 'redact';
  const shows = async (page: PageRow): Promise<boolean> =>
    isNamedAroundBody(matcher, page) || matcher.isShownInBody((await decompressBody(page)).toString(), isInTexts);
  let read = 0;
  for (let pages = batch.all(0); pages.length > 0; pages = batch.all(pages.at(-1)!.id)) {
    signal?.throwIfAborted();
    const shown = await Promise.all(pages.map(shows));
    pages.forEach(({ id }, i) => shown[i] && select.run(id));
    read += pages.length;
    onProgress?.(read, total);
    await nextTurn();
  }
  completePages(client);
}

/** Whether the request of a body, or the headers of its response, name the accounts. */
const isNamedAroundBody = (
  matcher: IdentityMatcher,
  { parameters, headers }: Pick<PageRow, 'parameters' | 'headers'>,
): boolean => isNamedInParameters(matcher, parameters) || (headers !== null && matcher.isShownInBody(headers, true));

/** Whether a request names the accounts: as a target or in a search string. */
const isNamedInParameters = (matcher: IdentityMatcher, parameters: string): boolean =>
  Object.values(JSON.parse(parameters) as Readonly<Record<string, unknown>>).some(
    (value) =>
      typeof value === 'string' && (matcher.isId(value) || matcher.isHandle(value) || matcher.isNamedIn(value)),
  );

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
  where case when kind in (${formatKinds(ACCOUNT_KINDS)}) and target_rest_id is not null
    then target_rest_id in (select value from json_each(?)) else is_erased_target(kind, target) end`;

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
function completePages(client: Database.Database): void {
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
