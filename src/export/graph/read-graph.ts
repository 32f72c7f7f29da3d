import type { Db } from '../../store/sqlite/database.ts';
import type { Graph, GraphEdge } from './graph.ts';
import { type GraphSelection, type NetworkName, NETWORKS } from './networks.ts';
import { readNodes } from './read-nodes.ts';
import { type EdgeEnds, type NodeSet, scanEdges } from './scan-edges.ts';
import { buildEdges, defineEdges, type OnProgress } from './sql/build-edges.ts';
import { findNeighbourhood } from './sql/neighbourhood.ts';
import { nodeAttributes } from './sql/node-attributes.ts';
import { EDGE_COLUMNS, type NetworkSql } from './sql/relations.ts';
import { formatStatements, type GraphStatement } from './sql/statements.ts';

/** Edges between two reports of progress. */
const REPORTED_EDGES = 100_000;

const ALL_EDGES = 'graph_edges e';

/** A selected network, with what its sidecar says. */
export interface SelectedGraph extends Graph {
  /** The numbers of what is left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** The number of selected edges, before the largest component was chosen. */
  readonly scannedEdges: number;
  /** The statements of the edge table and of the node table. */
  readonly statements: { readonly edges: GraphStatement; readonly nodes: GraphStatement };
}

/**
 * Selects a network of a store. Creates temporary tables in its connection, which must not be used for another network. The
 * memory depends on the number of stored accounts (at most 60 bytes each), not on the number of edges.
 */
export function readGraph(
  db: Db,
  network: NetworkName,
  selection: GraphSelection,
  onProgress: OnProgress = () => {},
): SelectedGraph {
  const definition = defineEdges(db, network, selection);
  buildEdges(db, definition, onProgress);
  const hasMembers = selection.accountRestIds !== undefined && NETWORKS[network].nodes === 'accounts';
  if (hasMembers) selectNeighbourhood(db, definition, selection, onProgress);
  const from = hasMembers
    ? 'members m cross join graph_edges e on e.source = m.id where e.target in (select id from members)'
    : ALL_EDGES;
  const { nodes, idLimit, scannedEdges } = scan(db, from, definition, { hasMembers, selection, onProgress });
  const attributes = nodeAttributes(network, hasMembers);
  const readAll = () => readNodes(db, nodes, { network, attributes, otherNodes: definition.otherNodes });
  const columns = EDGE_COLUMNS.slice(0, -1).map((column) => `e.${column}`);
  const [first] = selection.isLargestComponent ? readAll() : [];
  return {
    network,
    idLimit,
    scannedEdges,
    nodeCount: nodes.size,
    nodeColumns: attributes.map(({ name, type, description }) => ({
      name,
      type,
      description,
    })),
    nodes: readAll,
    edges: () => selectComponent(readEdges<GraphEdge>(db, columns, from, definition), nodes, selection),
    excluded: {
      ...countLeftOut(db, definition),
      ...(selection.isLargestComponent && { otherComponents: nodes.dropped }),
    },
    statements: formatStatements({
      network,
      definition,
      selection,
      attributes,
      component: first?.key,
    }),
  };
}

function selectNeighbourhood(
  db: Db,
  { relations, lastSource }: NetworkSql,
  selection: GraphSelection,
  onProgress: OnProgress,
): void {
  if (lastSource !== undefined) db.$client.exec('create index temp.graph_edges_target on graph_edges (target)');
  const { accountRestIds = [], depth } = selection;
  const hasExcludedAccounts = relations.some(({ name }) => name === 'excluded_accounts');
  findNeighbourhood(db, { accountRestIds, depth, hasExcludedAccounts }, onProgress);
}

interface ScanRequest {
  readonly hasMembers: boolean;
  readonly selection: GraphSelection;
  readonly onProgress: OnProgress;
}

function scan(
  db: Db,
  from: string,
  definition: NetworkSql,
  { hasMembers, selection, onProgress }: ScanRequest,
): { nodes: NodeSet; idLimit: number; scannedEdges: number } {
  const { $client } = db;
  const { otherNodes } = definition;
  const lastId = (select: string): number => $client.prepare<[], number | null>(select).pluck().get() ?? 0;
  const lastOther = otherNodes === undefined ? 0 : lastId(`select max(id) from (${otherNodes})`);
  const idLimit = Math.max(lastId('select max(id) from users'), lastOther) + 1;
  let scannedEdges = 0;
  const nodes = scanEdges(
    readEdges<EdgeEnds>(db, ['e.source', 'e.target', 'e.start_at', 'e.end_at'], from, definition),
    {
      idLimit,
      given: hasMembers ? ($client.prepare('select id from members').pluck().iterate() as Iterable<number>) : [],
      isLargestComponent: selection.isLargestComponent,
      onEdge: () => {
        scannedEdges += 1;
        if (scannedEdges % REPORTED_EDGES === 0) onProgress('reading edges', scannedEdges);
      },
    },
  );
  return { nodes, idLimit, scannedEdges };
}

/** The rows of follows that are read at once: half the cost of reading one after the other. */
const FOLLOWS_PER_READ = 1000;

/** Reads columns of edges. `from` is the source of the rows: all follows are read in ranges of their table. */
function* readEdges<Row>(
  { $client }: Db,
  columns: readonly string[],
  from: string,
  { lastSource }: NetworkSql,
): Generator<Row, void> {
  const select = `select ${columns.join(', ')} from ${from}`;
  if (lastSource !== undefined || from !== ALL_EDGES) {
    yield* $client.prepare<[], Row>(select).raw().iterate();
    return;
  }
  const last = $client.prepare<[], number | null>('select max(id) from follows').pluck().get() ?? 0;
  const read = $client.prepare<[bigint, bigint], Row>(`${select} where e.follow_id > ? and e.follow_id <= ?`).raw();
  for (let after = 0; after < last; after += FOLLOWS_PER_READ)
    yield* read.all(BigInt(after), BigInt(after + FOLLOWS_PER_READ));
}

/** Both ends of an edge are in the same component. */
function* selectComponent(
  edges: Iterable<GraphEdge>,
  nodes: NodeSet,
  { isLargestComponent }: GraphSelection,
): Generator<GraphEdge, void> {
  if (!isLargestComponent) yield* edges;
  else for (const edge of edges) if (nodes.has(edge[0])) yield edge;
}

const countLeftOut = ({ $client }: Db, { leftOut }: NetworkSql): Record<string, number> =>
  Object.fromEntries(
    Object.entries(leftOut).map(([reason, select]) => [reason, $client.prepare<[], number>(select).pluck().get()!]),
  );
