import type { GraphSelection } from '#files/export/graph/networks.ts';
import { SELECTION_SETS } from '#files/export/row-selection.ts';
import type { Db } from '#store/sqlite/database.ts';

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

/** Work in progress, for people: what is done, how much of it, and the total if it is known. */
export type OnProgress = (phase: string, done: number, total?: number) => void;

/** The number of sources whose edges one statement computes. */
const SOURCES_PER_STATEMENT = 500;

/**
 * Creates the temporary view `graph_edges` with the columns of `EDGE_COLUMNS`. Edges that have to be computed are stored in
 * a temporary table, which SQLite keeps on disk; follows are read from the store.
 */
export function buildEdges(
  { $client }: Db,
  { relations, edges, lastSource }: NetworkSql,
  onProgress: OnProgress,
): void {
  for (const relation of relations) {
    onProgress(`preparing ${relation.name}`, 0);
    for (const statement of createTable(relation)) $client.exec(statement);
  }
  if (lastSource === undefined) {
    $client.exec(`create temp view graph_edges(${EDGE_COLUMNS}) as ${edges}`);
    return;
  }
  $client.exec(
    `create temp table graph_edges (source integer not null, target integer not null, weight integer not null,
       start_at integer, end_at integer, last_seen_at integer, periods text, primary key (source, target)) without rowid`,
  );
  const last = $client.prepare<[], number>(lastSource).pluck().get()!;
  const insert = $client.prepare<[{ from: bigint; to: bigint }]>(`insert into graph_edges ${edges}`);
  for (let from = 0; from < last; from += SOURCES_PER_STATEMENT) {
    insert.run({ from: BigInt(from), to: BigInt(from + SOURCES_PER_STATEMENT) });
    onProgress('computing edges', Math.min(from + SOURCES_PER_STATEMENT, last), last);
  }
}

/** The statements of a temporary table and its indexes. Rows are sorted once for an index, not row by row. */
const createTable = ({ name, columns, select, indexes = [] }: Relation): string[] => [
  `create temp table ${name} (${columns})`,
  `insert into ${name} ${select}`,
  ...indexes.map((index, i) => `create index temp.${name}_${i} on ${name} (${index})`),
];

/**
 * Creates the temporary table `members`: the given accounts, and the nodes at most `depth` steps from one of them along
 * `graph_edges`, in either direction, with their number of steps. It is the node set of `networkx.ego_graph(…, undirected=True)`.
 * Accounts that are not stored have no edges.
 */
export function findNeighbourhood(
  { $client }: Db,
  { accountRestIds, depth }: Pick<GraphSelection, 'accountRestIds' | 'depth'>,
  onProgress: OnProgress,
): void {
  $client.exec('create temp table members (id integer primary key, step integer not null)');
  $client
    .prepare(
      `insert into members select u.id, 0 from users u
       where u.rest_id in (select value from json_each(?)) and u.id not in (select id from unavailable)`,
    )
    .run(JSON.stringify(accountRestIds));
  // Each direction has an index: a walk costs as much as it finds.
  const [targets, sources] = (['target', 'source'] as const).map((end) =>
    $client.prepare(
      `insert or ignore into members select e.${end}, @step from members m
       cross join graph_edges e on e.${end === 'target' ? 'source' : 'target'} = m.id where m.step = @step - 1`,
    ),
  );
  for (let step = 1; step <= depth; step++) {
    onProgress('finding neighbours: step', step, depth);
    const found = targets!.run({ step: BigInt(step) }).changes + sources!.run({ step: BigInt(step) }).changes;
    if (found === 0) return;
  }
}
