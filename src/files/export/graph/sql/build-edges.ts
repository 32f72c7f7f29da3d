import type { Db } from '../../../../store/sqlite/database.ts';
import { EDGE_COLUMNS, type NetworkSql, type Relation } from './network-sql.ts';

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
