import { getTableColumns } from 'drizzle-orm';
import type { SQLiteColumn } from 'drizzle-orm/sqlite-core';
import { InvariantError } from '#base/errors.ts';
import { TABLES } from '#store/erasure/inventory.ts';
import type { IdentityKind } from './pseudonymiser.ts';

/**
 * What a column has, and so what becomes of it in a pseudonymised export.
 * - An identity is replaced by its pseudonym.
 * - `targetId`, `targetHandle`: what a crawl or a list is of, as the column `kind` of its row says. An account is its id, or
 *   its handle.
 * - `text`: written by people; left out, or redacted with --keep-text.
 * - `private`: names, addresses, notes and messages; left out.
 * - `mixed`: values of several columns, as text; left out.
 * - `number`: the number of a row in the store; left out of the rows of a statement, since it would join exports with other keys.
 * - `value`: a count, a time, a flag or one of a few words.
 */
export type ColumnContent =
  | IdentityKind
  | 'targetId'
  | 'targetHandle'
  | 'text'
  | 'private'
  | 'mixed'
  | 'number'
  | 'value';

/**
 * The names of columns by their content, in all tables but those of `BY_TABLE`: texts, and what views compute. Columns that are
 * neither listed nor integers of tables are not exported.
 */
const NAMES: Readonly<Partial<Record<ColumnContent, string>>> = {
  account: `author_rest_id follower_rest_id followee_rest_id mentioned_rest_id parent_author_rest_id
    in_reply_to_user_rest_id account_rest_id user_rest_id`,
  handle: `screen_name author follower followee mentioned mentioned_screen_name parent_author account handle
    in_reply_to_screen_name`,
  tweet: `tweet_rest_id parent_rest_id root_rest_id in_reply_to_status_rest_id oldest_rest_id newest_rest_id
    older_rest_id newer_rest_id`,
  community: 'community_rest_id',
  list: 'list_rest_id',
  search: 'query',
  hashtag: 'tag other_tag',
  link: 'host',
  job: 'job job_name',
  panel: 'panel',
  crawl: 'crawl_id parent_id root_id descendant_id',
  targetId: 'target_rest_id',
  targetHandle: 'target',
  text: 'text parent_text description location',
  private: `name mentioned_name url profile_image_url cover_image_url note error options cursor checkpoint
    lease_token locked_by key_label body_digest`,
  mixed: 'old_value new_value',
  value: `
    created_ms from_ms to_ms complete_as_of noticed_at valid_from valid_to parent_created_at earliest_at latest_at gone_at
    day weekday hour

    engagement tweets authors links step place depth latency_seconds score stored reported intervals gaps
    requests_per_new_item seconds source_count missed ended pruned erased

    scope is_reply is_complete is_saturated kind part state reason ending list_end type known_by deletion_state change
    cause field priority column_name trawl_version service_host`,
};

const split = (names: string): string[] => names.trim().split(/\s+/);

/** The integers of tables: keys, or counts, times and flags. */
const INTEGERS = TABLES.flatMap((table) => Object.values<SQLiteColumn>(getTableColumns(table)))
  .filter((column) => column.getSQLType() === 'integer')
  .map(({ name }): [string, ColumnContent] => [name, /(?:^|_)id$/.test(name) ? 'number' : 'value']);

const BY_NAME: ReadonlyMap<string, ColumnContent> = new Map([
  ...INTEGERS,
  ...Object.entries(NAMES).flatMap(([content, names]) =>
    split(names).map((name) => [name, content as ColumnContent] as const),
  ),
]);

/** The contents of columns whose name means something else in a table. */
const BY_TABLE: Readonly<Record<string, Readonly<Record<string, ColumnContent>>>> = {
  ...forTables('users user_history v_users v_user_changes v_user_versions v_handle_periods', { rest_id: 'account' }),
  ...forTables('v_unavailable_accounts v_panel_members panel_members', { rest_id: 'account' }),
  ...forTables('tweets tweet_history replies v_tweets v_replies v_tweet_changes v_tweet_versions', {
    rest_id: 'tweet',
  }),
  ...forTables('v_conversations v_deleted_tweets v_media v_mentions', { rest_id: 'tweet' }),
  ...forTables('links tweet_links', { url: 'link' }),
  v_links: { rest_id: 'tweet', url: 'link' },
  communities: { rest_id: 'community', name: 'text' },
  lists: { rest_id: 'list', name: 'text' },
  panels: { name: 'panel', description: 'private' },
  // The id of an account or of a tweet.
  v_restored: { rest_id: 'mixed' },
  ...forTables('crawls v_crawls', { id: 'crawl' }),
  ...forTables('coverage gaps pruned_ranges v_coverage v_gaps v_pruned_ranges', { target: 'targetId' }),
};

/** Returns what a column of an exported table, or of a table or view of the store, has. @throws InvariantError if it is unknown */
export function contentOf(table: string, column: string): ColumnContent {
  const content = findContent(table, column);
  if (content !== undefined) return content;
  throw new InvariantError(`the column ${table}.${column} has no entry in files/export/pseudonyms/column-contents.ts`);
}

/** Returns what a column has; undefined if it is not classified. */
export function findContent(table: string, column: string): ColumnContent | undefined {
  const own = BY_TABLE[table];
  if (own && Object.hasOwn(own, column)) return own[column];
  return BY_NAME.get(column);
}

function forTables(tables: string, contents: Readonly<Record<string, ColumnContent>>) {
  return Object.fromEntries(split(tables).map((table) => [table, contents]));
}
