import { SELECTION_SETS } from '../../row-selection.ts';
import type { GraphSelection } from '../networks.ts';

/** Rows that edges are computed from: a temporary table, which SQLite keeps on disk. */
export interface Relation {
  readonly name: string;
  /** The declarations of its columns. */
  readonly columns: string;
  readonly select: string;
  /** The columns of its indexes, which are built after all rows. */
  readonly indexes?: readonly string[];
}

/** The edges of a network in SQL. */
export interface NetworkSql {
  readonly relations: readonly Relation[];
  /**
   * The statement of the edges, with the columns of `EDGE_COLUMNS`, each pair of nodes once. With `lastSource`, it returns
   * the edges whose source is beyond `@from` and at most `@to`.
   */
  readonly edges: string;
  /** The statement of the nodes that are no stored accounts: id, key, label. */
  readonly otherNodes?: string;
  /** The statement of the largest id of a source; undefined if the edges are read from the store directly. */
  readonly lastSource?: string;
  /** The numbers of what is left out, as statements by reason. */
  readonly leftOut: Readonly<Record<string, string>>;
}

/** `periods` is a JSON list of [start, end] for edges that may have several. */
export const EDGE_COLUMNS = 'source, target, weight, start_at, end_at, last_seen_at, periods';

/** The sets of what is left out. They are empty if nothing is. */
export const excludedRelations = ({ includeDeleted = false }: Pick<GraphSelection, 'includeDeleted'>): Relation[] =>
  (['deleted', 'unavailable'] as const).map((set) => ({
    name: set,
    columns: 'id integer primary key',
    select: `select * from (${SELECTION_SETS[set]}) where ${!includeDeleted}`,
  }));

/** The condition that an account is not left out. */
export const isShown = (account: string): string => `${account} not in (select id from unavailable)`;

/** Joins conditions. */
export const allOf = (...conditions: readonly (string | undefined)[]): string =>
  conditions.filter((condition) => condition !== undefined).join(' and ') || 'true';

/** The condition that a tweet `t` has a known author and is of the period. The plus excludes the index on the time: tweets are read by author. */
const isSelected = ({ since, until }: Pick<GraphSelection, 'since' | 'until'>): string =>
  allOf(
    't.author_id is not null',
    since === undefined ? undefined : `+t.created_at >= ${since}`,
    until === undefined ? undefined : `+t.created_at < ${until}`,
  );

const IS_NOT_DELETED = 't.id not in (select id from deleted)';

/** The condition that a tweet `t` is selected, and not left out. */
export const isIncluded = (selection: Pick<GraphSelection, 'since' | 'until'>): string =>
  allOf(isSelected(selection), IS_NOT_DELETED, isShown('t.author_id'));

/**
 * The statements that count the tweets left out of a network: deleted tweets, and others of or to unavailable accounts.
 * @param has the condition of a tweet `t` that has a part in the network
 * @param toExcluded the tables and the condition of tweets `t` that lead to unavailable accounts
 */
export function countLeftOut(selection: GraphSelection, has: string, toExcluded?: string): Record<string, string> {
  if (selection.includeDeleted) return {};
  const of = `select count(*) from unavailable x join tweets t on t.author_id = x.id
    where ${allOf(has, isSelected(selection), IS_NOT_DELETED)}`;
  const to = toExcluded && `select count(distinct t.id) from ${allOf(toExcluded, isIncluded(selection))}`;
  return {
    deletedTweets: `select count(*) from deleted x join tweets t on t.id = x.id where ${allOf(has, isSelected(selection))}`,
    unavailableAccounts: to ? `select (${of}) + (${to})` : of,
  };
}
