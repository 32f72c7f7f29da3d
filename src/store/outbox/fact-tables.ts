import { type TweetFact, toListFact, TWEET_LISTS } from '#store/relations/list-relations.ts';

/**
 * Facts: observations of a store with their times, one table per type. The files of a lake and their documentation are derived from
 * this table. Facts are only added, may arrive more than once and in any order, and are keyed by the service's ids.
 *
 * Each fact is of a store, an entry (the transaction that recorded it, in order) and a crawl (null in a snapshot). New columns are added at the end of a table: older entries do not have them.
 */

export type FactType = 'text' | 'integer' | 'boolean' | 'timestamp';

/**
 * What a text of a fact may hold of a person.
 * - `account`, `handle`, `tweet`, `target`, `list`, `query`: an erasure removes the fact;
 * - `item`: the id becomes empty;
 * - `reply`: what a tweet answers becomes null, and its handle `(forgotten)`;
 * - `json`, `notes`: what names the accounts is replaced;
 * - `words`, `names`: the same in texts and JSON of others, with `redact` only.
 */
export type FactUse =
  | ('account' | 'handle' | 'tweet' | 'target' | 'list' | 'query')
  | ('item' | 'reply' | 'json' | 'notes' | 'words' | 'names');

/** The type of a column, or the use of a text that may hold something of a person. */
export type FactColumn = FactType | FactUse;

const TYPES: readonly FactColumn[] = ['text', 'integer', 'boolean', 'timestamp'] satisfies FactType[];

export const typeOf = (column: FactColumn): FactType => (TYPES.includes(column) ? (column as FactType) : 'text');

export interface FactTable {
  readonly description: string;
  /** The columns in their order. A timestamp is in milliseconds UTC. */
  readonly columns: Readonly<Record<string, FactColumn>>;
  /** The columns that identify a fact within its entry. */
  readonly key: readonly string[];
}

const PROFILE = {
  screen_name: 'handle',
  name: 'words',
  description: 'words',
  profile_image_url: 'text',
  followers_count: 'integer',
  following_count: 'integer',
  verified: 'boolean',
  location: 'words',
  url: 'words',
  type: 'text',
  cover_image_url: 'text',
  is_blue_verified: 'boolean',
  can_dm: 'boolean',
  has_custom_timelines: 'boolean',
  is_translator: 'boolean',
  favourites_count: 'integer',
  media_count: 'integer',
  statuses_count: 'integer',
  created_at: 'timestamp',
} as const satisfies FactTable['columns'];

const TWEET = {
  author_rest_id: 'account',
  text: 'words',
  created_at: 'timestamp',
  favorite_count: 'integer',
  retweet_count: 'integer',
  reply_count: 'integer',
  quote_count: 'integer',
  has_media: 'boolean',
  in_reply_to_status_rest_id: 'reply',
  in_reply_to_user_rest_id: 'reply',
  in_reply_to_screen_name: 'reply',
} as const satisfies FactTable['columns'];

/** The facts that a list of tweets showed a tweet. */
const LIST_FACTS = Object.fromEntries(
  TWEET_LISTS.map(([, relation]): [string, FactTable] => {
    const { fact, description, factColumns, targetUse } = relation;
    const [target, tweet] = factColumns;
    const names = toListFact(['kind', relation], { at: 'seen_at', target, tweet, rank: 'rank' });
    const uses: FactTable['columns'] = {
      seen_at: 'timestamp',
      kind: 'text',
      [target]: targetUse,
      [tweet]: 'tweet',
      rank: 'integer',
    };
    const columns = Object.fromEntries(names.map((name) => [name, uses[name]!]));
    return [fact, { description, columns, key: names.filter((name) => name !== 'rank') }];
  }),
) as Record<TweetFact, FactTable>;

export const FACT_TABLES = {
  user_sightings: {
    description:
      'A response showed an account, with the columns of its `detail_level` (`reference`, `summary` or `profile`). Null: not shown.',
    columns: { seen_at: 'timestamp', rest_id: 'account', detail_level: 'text', ...PROFILE },
    key: ['seen_at', 'rest_id', 'detail_level'],
  },
  tweet_sightings: {
    description:
      'A response showed a tweet. Null: not shown. `seen_in_lists`: the list of its author that showed it (1 timeline, 2 replies). The last four columns are JSON.',
    columns: {
      seen_at: 'timestamp',
      rest_id: 'tweet',
      ...TWEET,
      seen_in_lists: 'integer',
      media: 'names',
      hashtags: 'names',
      mentions: 'names',
      links: 'names',
    },
    key: ['seen_at', 'rest_id'],
  },
  edge_sightings: {
    description:
      'A list of followers (`side` `followers`) or followed accounts (`following`) of `owner_rest_id` showed a member. In a snapshot, the edge did not end until `seen_until_at`.',
    columns: {
      seen_at: 'timestamp',
      side: 'text',
      owner_rest_id: 'account',
      member_rest_id: 'account',
      seen_until_at: 'timestamp',
    },
    key: ['seen_at', 'side', 'owner_rest_id', 'member_rest_id'],
  },
  ...LIST_FACTS,
  group_sightings: {
    description: 'A response showed a community or a list (`kind` `community` or `list`).',
    columns: { seen_at: 'timestamp', kind: 'text', rest_id: 'text', name: 'words', description: 'words' },
    key: ['seen_at', 'kind', 'rest_id'],
  },
  list_snapshots: {
    description:
      'A complete list of followers or followed accounts: evidence about edges that it lacks (decisions 13 and 62). `item_count`: the accounts in it; `owner_count`: the count of its account then.',
    columns: {
      side: 'text',
      owner_rest_id: 'account',
      started_at: 'timestamp',
      finished_at: 'timestamp',
      body_digest: 'text',
      item_count: 'integer',
      owner_count: 'integer',
    },
    key: ['side', 'owner_rest_id', 'started_at'],
  },
  follow_decisions: {
    description:
      'A re-check found that an edge that a list lacked has ended (`cause`: `unfollowed` or `account gone`). It stands for two complete lists.',
    columns: {
      follower_rest_id: 'account',
      followee_rest_id: 'account',
      started_at: 'timestamp',
      finished_at: 'timestamp',
      cause: 'text',
    },
    key: ['follower_rest_id', 'followee_rest_id', 'started_at'],
  },
  coverage_claims: {
    description:
      'A part of a list was read without a gap: the items strictly between its bounds. `list_end`: the list ended below. `gap_reason`: why a gap follows.',
    columns: {
      claimed_at: 'timestamp',
      kind: 'text',
      target: 'list',
      newest_at: 'timestamp',
      newest_rest_id: 'item',
      oldest_at: 'timestamp',
      oldest_rest_id: 'item',
      list_end: 'text',
      gap_reason: 'text',
      pages: 'integer',
      items: 'integer',
    },
    key: ['claimed_at', 'kind', 'target', 'newest_at', 'oldest_at'],
  },
  search_windows: {
    description: 'A time range of a search was searched; a saturated one has more tweets than a page shows.',
    columns: {
      searched_at: 'timestamp',
      query: 'query',
      from_at: 'timestamp',
      to_at: 'timestamp',
      is_saturated: 'boolean',
    },
    key: ['searched_at', 'query', 'from_at', 'to_at'],
  },
  list_rereads: {
    description:
      'A list of its author (`kind` `timeline` or `replies`) was read again between two times of tweets: it lacks tweets in between that it showed before, and that were not seen since `started_at`.',
    columns: {
      reread_at: 'timestamp',
      kind: 'text',
      author_rest_id: 'account',
      started_at: 'timestamp',
      after_at: 'timestamp',
      before_at: 'timestamp',
    },
    key: ['reread_at', 'kind', 'author_rest_id', 'after_at'],
  },
  deletion_evidence: {
    description:
      'The service answered 404 for a tweet (`is_confirmed`). In a snapshot also: a list of its author lacked the tweet.',
    columns: { noticed_at: 'timestamp', tweet_rest_id: 'tweet', is_confirmed: 'boolean' },
    key: ['noticed_at', 'tweet_rest_id'],
  },
  steps: {
    description:
      'A page was stored: its counts, `_steps.outcome` as JSON in `outcome`, a letter for each of its responses, as in `_steps.response_roles`, and when its crawl began.',
    columns: {
      committed_at: 'timestamp',
      pages: 'integer',
      items: 'integer',
      rejected_items: 'integer',
      outcome: 'json',
      response_roles: 'text',
      started_at: 'timestamp',
    },
    key: ['committed_at'],
  },
  crawls: {
    description: 'A crawl was created, ended, cancelled or resumed. The row of the latest entry is current.',
    columns: {
      recorded_at: 'timestamp',
      kind: 'text',
      target: 'target',
      handle: 'handle',
      target_rest_id: 'account',
      options: 'json',
      priority: 'text',
      parent_id: 'integer',
      root_id: 'integer',
      job_name: 'text',
      state: 'text',
      reason: 'text',
      ending: 'text',
      error: 'notes',
      pages: 'integer',
      items: 'integer',
      rejected_items: 'integer',
      requests: 'integer',
      created_at: 'timestamp',
      started_at: 'timestamp',
      finished_at: 'timestamp',
      erased_items: 'integer',
    },
    key: ['recorded_at'],
  },
  requests: {
    description: 'A request was sent. `status` is null if there was no response.',
    columns: {
      sent_at: 'timestamp',
      endpoint: 'text',
      status: 'integer',
      duration_ms: 'integer',
      response_bytes: 'integer',
      error: 'notes',
    },
    key: ['sent_at', 'endpoint'],
  },
  erasures: {
    description:
      "An account was forgotten: rows whose `sha256(key || 'account:' || rest_id)` or `sha256(key || 'handle:' || lower(handle))` is `hash` (hexadecimal digits) must not be shown. `mentions`: whether others may name it (`keep` or `redact`).",
    columns: { erased_at: 'timestamp', key: 'text', hash: 'text', mentions: 'text' },
    key: ['hash'],
  },
  snapshots: {
    description:
      'The rows of the store when shipping to this target began: the facts of this entry. Earlier events are known only as far as these rows show them.',
    columns: { taken_at: 'timestamp' },
    key: ['taken_at'],
  },
} as const satisfies Readonly<Record<string, FactTable>>;

export type FactTableName = keyof typeof FACT_TABLES;
export const FACT_TABLE_NAMES = Object.keys(FACT_TABLES) as FactTableName[];

/** A fact: the values of its columns in their order. Absent: null. */
export type Fact = readonly (string | number | boolean | null | undefined)[];

/** The facts of an entry by table. */
export type Facts = Partial<Record<FactTableName, readonly Fact[]>>;

/** The names of columns in rows: `restId` of `rest_id`. */
export const PROPERTY_NAMES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(FACT_TABLES)
    .flatMap(({ columns }) => Object.keys(columns))
    .map((column) => [column, column.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase())]),
);

/** Returns a row as a fact: the values of its properties with the names of the columns. */
export const toFact = (table: FactTableName, row: object): Fact =>
  Object.keys(FACT_TABLES[table].columns).map(
    (column) => (row as Readonly<Record<string, Fact[number]>>)[PROPERTY_NAMES[column]!],
  );
