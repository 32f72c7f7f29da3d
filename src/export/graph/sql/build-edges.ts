import type { Db } from '../../../store/sqlite/database.ts';
import type { GraphSelection, NetworkName } from '../networks.ts';
import { defineMentions, defineReplies } from './contacts.ts';
import { defineFollows } from './follows.ts';
import {
  DELETED_TWEETS,
  EDGE_COLUMNS,
  type Exclusions,
  type NetworkSql,
  type Relation,
  UNAVAILABLE_ACCOUNTS,
} from './relations.ts';
import { defineColinks, defineCohashtags } from './shared-items.ts';

/** Work in progress, for people: what is done, how much of it, and the total if it is known. */
export type OnProgress = (phase: string, done: number, total?: number) => void;

/** The number of sources whose edges one statement computes. */
const SOURCES_PER_STATEMENT = 500;

/** Defines the edges of a network in a store. */
export function defineEdges({ $client }: Db, name: NetworkName, selection: GraphSelection): NetworkSql {
  const hasAny = (select: string): boolean => $client.prepare(`select exists (${select})`).pluck().get() === 1;
  const exclusions: Exclusions = {
    hasAccounts: !selection.includeDeleted && hasAny(UNAVAILABLE_ACCOUNTS),
    hasTweets: !selection.includeDeleted && hasAny(DELETED_TWEETS),
  };
  switch (name) {
    case 'follows':
      return defineFollows(selection, exclusions, hasAny('select 1 from follow_history'));
    case 'replies':
      return defineReplies(selection, exclusions);
    case 'mentions':
      return defineMentions(selection, exclusions);
    case 'cohashtags':
      return defineCohashtags(selection, exclusions);
    case 'colinks':
      return defineColinks(selection, exclusions);
  }
}

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
    onProgress(`preparing ${relation.name.replaceAll('_', ' ')}`, 0);
    for (const statement of createTable(relation)) $client.exec(statement);
  }
  if (lastSource === undefined) {
    $client.exec(`create temp view graph_edges(${EDGE_COLUMNS.join(', ')}) as ${edges()}`);
    return;
  }
  $client.exec(
    `create temp table graph_edges (source integer not null, target integer not null, weight integer not null,
       start_at integer, end_at integer, last_seen_at integer, periods text, follow_id integer, primary key (source, target)) without rowid`,
  );
  const last = $client.prepare<[], number | null>(lastSource).pluck().get() ?? 0;
  const insert = $client.prepare<[{ from: bigint; to: bigint }]>(
    `insert into graph_edges ${edges((source) => `${source} > @from and ${source} <= @to`)}`,
  );
  for (let from = 0; from < last; from += SOURCES_PER_STATEMENT) {
    insert.run({ from: BigInt(from), to: BigInt(from + SOURCES_PER_STATEMENT) });
    onProgress('computing edges', Math.min(from + SOURCES_PER_STATEMENT, last), last);
  }
}

/** The statements of a temporary table and its indexes. Rows are sorted once for an index, not row by row. */
const createTable = ({ name, columns, select, indexes = [] }: Relation): string[] => [
  `create temp table ${name} (${Object.entries(columns)
    .map(([column, type]) => `${column} ${type}`)
    .join(', ')})`,
  `insert into ${name} ${select}`,
  ...indexes.map((index, i) => `create index temp.${name}_${i} on ${name} (${index})`),
];
