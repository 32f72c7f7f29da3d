import { COMMON_COLUMNS, FACT_TABLE_NAMES, FACT_TABLES, type FactTableName } from '../facts/fact-tables.ts';
import type { Dialect } from './dialect.ts';
import type { FactSource, Views } from './views.ts';

/** What names an account: its id, `id:` with its id, its handle, or the id of one of its tweets. */
type NameType = 'account' | 'target' | 'handle' | 'tweet';

/** The columns of facts that may name a forgotten account: such facts are hidden. */
const NAMES: Partial<Readonly<Record<FactTableName, Readonly<Record<string, readonly NameType[]>>>>> = {
  user_sightings: { rest_id: ['account'], screen_name: ['handle'] },
  tweet_sightings: { rest_id: ['tweet'] },
  edge_sightings: { owner_rest_id: ['account'], member_rest_id: ['account'] },
  reply_sightings: { tweet_rest_id: ['tweet'], reply_rest_id: ['tweet'] },
  group_tweets: { tweet_rest_id: ['tweet'] },
  search_hits: { tweet_rest_id: ['tweet'] },
  list_snapshots: { owner_rest_id: ['account'] },
  follow_decisions: { follower_rest_id: ['account'], followee_rest_id: ['account'] },
  list_rereads: { author_rest_id: ['account'] },
  coverage_claims: { target: ['account'] },
  deletion_evidence: { tweet_rest_id: ['tweet'] },
  crawls: { target_rest_id: ['account'], target: ['target', 'handle', 'tweet'], handle: ['handle'] },
};

/** What shows a name in other facts: the condition, and what is shown then. */
const isReplyToForgotten = [
  isForgotten('in_reply_to_user_rest_id', 'account'),
  isForgotten('in_reply_to_screen_name', 'handle'),
  isForgotten('in_reply_to_status_rest_id', 'tweet'),
].join(' or ');
const isAnybodyForgotten = '(select count(*) from erasures) > 0';
const CHANGES: Partial<Readonly<Record<FactTableName, Readonly<Record<string, readonly [string, string]>>>>> = {
  // A reply to a forgotten account remains a reply.
  tweet_sightings: {
    in_reply_to_status_rest_id: [isReplyToForgotten, 'null'],
    in_reply_to_user_rest_id: [isReplyToForgotten, 'null'],
    in_reply_to_screen_name: [isReplyToForgotten, "'(forgotten)'"],
  },
  coverage_claims: {
    newest_rest_id: [isForgotten('newest_rest_id', 'tweet'), "''"],
    oldest_rest_id: [isForgotten('oldest_rest_id', 'tweet'), "''"],
  },
  // Texts that may name anybody.
  steps: { outcome: [isAnybodyForgotten, 'null'] },
  crawls: { error: [isAnybodyForgotten, 'null'] },
  requests: { error: [isAnybodyForgotten, 'null'] },
};

/** Shorter ids are compared with whole values only. */
const MIN_ID_LENGTH = 6;

const columnsOf = (table: FactTableName): string[] => Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });

/**
 * Returns a view of each fact table without what names a forgotten account (docs/operating/people.md), and the views that find
 * these accounts by the hashes of `erasures`.
 */
export function createFactViews(dialect: Dialect, source: FactSource): Views {
  const tables = FACT_TABLE_NAMES.filter((table) => table !== 'erasures');
  return {
    erasures: `select ${columnsOf('erasures').join(', ')} from ${source('erasures')}`,
    ...createForgottenViews(dialect, source),
    ...Object.fromEntries(tables.map((table) => [table, createFactView(table, source)])),
    bodies: createBodiesView(source),
  };
}

/** The accounts, handles and tweets of facts that are forgotten. Each text is hashed once for each key. */
function createForgottenViews({ sha256, textOf, contains }: Dialect, source: FactSource): Views {
  const forgotten = (kind: string, name: string, texts: readonly string[]): string => `select distinct n.${name}
  from (${texts.join('\n    union distinct ')}) n
  cross join (select distinct key from erasures) k
  join erasures e on e.hash = ${sha256(`concat(k.key, '${kind}:', n.${name})`)}`;
  const ids = (column: string, table: FactTableName, where = ''): string =>
    `select ${column} as rest_id from ${source(table)}${where}`;
  const handles = (column: string, table: FactTableName): string =>
    `select lower(${column}) as handle from ${source(table)}`;
  return {
    _forgotten_accounts: forgotten('account', 'rest_id', [
      ids('rest_id', 'user_sightings'),
      ids('author_rest_id', 'tweet_sightings'),
      ids('in_reply_to_user_rest_id', 'tweet_sightings'),
      ids('target_rest_id', 'crawls'),
      ids('substr(target, 4)', 'crawls', " where target like 'id:%'"),
    ]),
    _forgotten_handles: forgotten('handle', 'handle', [
      handles('screen_name', 'user_sightings'),
      handles('in_reply_to_screen_name', 'tweet_sightings'),
      handles('target', 'crawls'),
      handles('handle', 'crawls'),
    ]),
    _forgotten_tweets: `select distinct rest_id from ${source('tweet_sightings')}
  where author_rest_id in (select rest_id from _forgotten_accounts)`,
    // A short id is a part of other numbers, and a handle may be a word.
    _forgotten_names: `select case when length(rest_id) < ${MIN_ID_LENGTH} then concat('"', rest_id, '"') else rest_id end as name
  from (select rest_id from _forgotten_accounts union all select rest_id from _forgotten_tweets) n
  union all
  select concat('"', handle, '"') from _forgotten_handles`,
    // The text of a body is taken once, and then compared with each name.
    _forgotten_bodies: `select distinct b.store as store, b.entry as entry, b.number as number
  from (
    select store, entry, number, lower(concat(parameters, coalesce(headers, ''), ${textOf('body')})) as shown
    from ${source('bodies')}
  ) b cross join _forgotten_names n
  where ${contains('b.shown', 'n.name')}`,
  };
}

function isForgotten(column: string, type: NameType): string {
  const text = { account: column, tweet: column, handle: `lower(${column})`, target: `substr(${column}, 4)` }[type];
  const among =
    type === 'handle'
      ? 'handle from _forgotten_handles'
      : type === 'tweet'
        ? 'rest_id from _forgotten_tweets'
        : 'rest_id from _forgotten_accounts';
  const isNamed = `coalesce(${text}, '') in (select ${among})`;
  return type === 'target' ? `(${column} like 'id:%' and ${isNamed})` : isNamed;
}

function createFactView(table: FactTableName, source: FactSource): string {
  const hidden = Object.entries(NAMES[table] ?? {}).flatMap(([column, types]) =>
    types.map((type) => `not ${isForgotten(column, type)}`),
  );
  const changes = CHANGES[table] ?? {};
  const columns = columnsOf(table).map((column) => {
    const [condition, shown] = changes[column] ?? [];
    return condition === undefined ? column : `case when ${condition} then ${shown} else t.${column} end as ${column}`;
  });
  return `select ${columns.join(', ')}
  from ${source(table)} t${hidden.length > 0 ? `\n  where ${hidden.join('\n    and ')}` : ''}`;
}

/** Bodies that show no forgotten account, as far as other facts name it: a body is not parsed here. */
const createBodiesView = (source: FactSource): string => `select ${columnsOf('bodies')
  .map((column) => `b.${column} as ${column}`)
  .join(', ')}
  from ${source('bodies')} b
  left join _forgotten_bodies f on f.store = b.store and f.entry = b.entry and f.number = b.number
  where f.store is null`;
