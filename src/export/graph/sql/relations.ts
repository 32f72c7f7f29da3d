/**
 * A set of rows that edges are computed from. An export stores it in a temporary table, which SQLite keeps on disk; in the
 * statement of the sidecar it is a common table expression of the same name.
 */
export interface Relation {
  readonly name: string;
  /** The declarations of its columns, by name. */
  readonly columns: Readonly<Record<string, string>>;
  readonly select: string;
  /** The columns of its indexes, which are built after all rows. */
  readonly indexes?: readonly string[];
}

/** The edges of a network in SQL. */
export interface NetworkSql {
  readonly relations: readonly Relation[];
  /**
   * The statement of the edges, with the columns of `EDGE_COLUMNS`, each pair of nodes once. `range` is a condition on
   * the source of the edges, to be added with the column that has it.
   */
  edges(range?: (source: string) => string): string;
  /** The statement of the nodes that are no stored accounts: id, key, label. */
  readonly otherNodes?: string;
  /** The statement of the largest id of a source; undefined if the edges are read from the store directly. */
  readonly lastSource?: string;
  /** The numbers of what is left out, as statements by reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** `periods` is a JSON list of [start, end] for edges that may have several; `follow_id` is the row of a follow. */
export const EDGE_COLUMNS = [
  ...(['source', 'target', 'weight', 'start_at', 'end_at'] as const),
  ...(['last_seen_at', 'periods', 'follow_id'] as const),
] as const;

/** `name(columns) as (select)`. */
export const formatCte = ({ name, columns, select }: Pick<Relation, 'name' | 'columns' | 'select'>): string =>
  `${name}(${Object.keys(columns).join(', ')}) as (\n${select}\n)`;

/** Which exclusions have any rows. Without one, the conditions would cost time for each edge. */
export interface Exclusions {
  readonly hasAccounts: boolean;
  readonly hasTweets: boolean;
}

/** Accounts that the service no longer shows. */
export const UNAVAILABLE_ACCOUNTS = 'select u.id from v_unavailable_accounts a join users u on u.rest_id = a.rest_id';
/** Tweets whose deletion is confirmed. */
export const DELETED_TWEETS =
  'select d.tweet_id from _deletion_evidence d join tweets t on t.id = d.tweet_id where d.confirmed_at is not null and d.suspected_at > t.last_seen_at';

/** The relations of what is excluded: `excluded_accounts` and `excluded_tweets`. */
export function excludedRelations({ hasAccounts, hasTweets }: Exclusions): Relation[] {
  const columns = { id: 'integer primary key' };
  return [
    ...(hasAccounts ? [{ name: 'excluded_accounts', columns, select: UNAVAILABLE_ACCOUNTS }] : []),
    ...(hasTweets ? [{ name: 'excluded_tweets', columns, select: DELETED_TWEETS }] : []),
  ];
}

/** The condition that an account is not excluded. */
export const isShown = (account: string, { hasAccounts }: Exclusions): string[] =>
  hasAccounts ? [`${account} not in (select id from excluded_accounts)`] : [];

/** Joins conditions; without any, all rows match. */
export const allOf = (conditions: readonly string[]): string => conditions.join(' and ') || 'true';
