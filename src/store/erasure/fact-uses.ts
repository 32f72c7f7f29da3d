import type { FACT_TABLES, FactTableName } from '../../ship/facts/fact-tables.ts';

/**
 * What the columns of facts may hold of a person, as the inventory of tables says it.
 * - `account`, `handle`, `tweet`, `target`, `list`, `query`: the fact goes;
 * - `item`: the id becomes empty;
 * - `reply`: what a tweet answers becomes null, and its handle `(forgotten)`;
 * - `json`, `notes`: what names the accounts is replaced;
 * - `words`, `names`: the same in texts and JSON of others, with `redact` only.
 */
export type FactUse =
  | 'account'
  | 'handle'
  | 'tweet'
  | 'target'
  | 'list'
  | 'query'
  | 'item'
  | 'reply'
  | 'json'
  | 'notes'
  | 'words'
  | 'names';

type Uses<Table extends FactTableName> = Partial<Record<keyof (typeof FACT_TABLES)[Table]['columns'], FactUse>>;

/** Unlisted columns are numbers, times, words of the interface, and pictures of accounts that go. */
export const FACT_USES: { readonly [Table in FactTableName]: Uses<Table> } = {
  user_sightings: {
    rest_id: 'account',
    screen_name: 'handle',
    name: 'words',
    description: 'words',
    location: 'words',
    url: 'words',
  },
  tweet_sightings: {
    rest_id: 'tweet',
    author_rest_id: 'account',
    text: 'words',
    media: 'names',
    hashtags: 'names',
    mentions: 'names',
    links: 'names',
    in_reply_to_status_rest_id: 'reply',
    in_reply_to_user_rest_id: 'reply',
    in_reply_to_screen_name: 'reply',
  },
  edge_sightings: { owner_rest_id: 'account', member_rest_id: 'account' },
  reply_sightings: { tweet_rest_id: 'tweet', reply_rest_id: 'tweet' },
  group_sightings: { name: 'words', description: 'words' },
  group_tweets: { tweet_rest_id: 'tweet' },
  search_hits: { query: 'query', tweet_rest_id: 'tweet' },
  list_snapshots: { owner_rest_id: 'account' },
  follow_decisions: { follower_rest_id: 'account', followee_rest_id: 'account' },
  coverage_claims: { target: 'list', newest_rest_id: 'item', oldest_rest_id: 'item' },
  search_windows: { query: 'query' },
  list_rereads: { author_rest_id: 'account' },
  deletion_evidence: { tweet_rest_id: 'tweet' },
  steps: { outcome: 'json' },
  crawls: { target: 'target', handle: 'handle', target_rest_id: 'account', options: 'json', error: 'notes' },
  requests: { error: 'notes' },
  erasures: {},
  snapshots: {},
};
