import type { Db } from '../../../store/sqlite/database.ts';
import type { Graph, GraphEdge } from './graph.ts';
import { type GraphSelection, type NetworkName, NETWORKS } from './networks.ts';
import { readNodes } from './read-nodes.ts';
import { scanEdges } from './scan-edges.ts';
import { buildEdges, type OnProgress } from './sql/build-edges.ts';
import { defineMentions, defineReplies } from './sql/contact-edges.ts';
import { defineFollows } from './sql/follow-edges.ts';
import { findNeighbourhood } from './sql/neighbourhood-edges.ts';
import { EDGE_COLUMNS, type NetworkSql } from './sql/network-sql.ts';
import { nodeAttributes } from './sql/node-attributes.ts';
import { defineCohashtags, defineColinks } from './sql/shared-item-edges.ts';

/** How the edges of each network are computed. */
const DEFINITIONS: Readonly<Record<NetworkName, (selection: GraphSelection) => NetworkSql>> = {
  follows: defineFollows,
  replies: defineReplies,
  mentions: defineMentions,
  cohashtags: defineCohashtags,
  colinks: defineColinks,
};

/** Edges between two reports of progress. */
const REPORTED_EDGES = 100_000;

/** A selected network, with what its sidecar says. */
export interface SelectedGraph extends Graph {
  /** The numbers of what is left out, by reason. */
  readonly excluded: Readonly<Record<string, number>>;
  /** The number of selected edges. */
  readonly scannedEdges: number;
}

/**
 * Selects a network of a store. Creates temporary tables in its connection, which must not be used for another network. The
 * memory depends on the number of stored accounts, not on the number of edges.
 */
export function readGraph(
  db: Db,
  network: NetworkName,
  selection: GraphSelection,
  onProgress: OnProgress = () => {},
): SelectedGraph {
  const { $client } = db;
  const definition = DEFINITIONS[network](selection);
  const { otherNodes, lastSource, leftOut } = definition;
  buildEdges(db, definition, onProgress);
  const hasMembers = selection.accountRestIds !== undefined && NETWORKS[network].nodes === 'accounts';
  if (hasMembers) {
    if (lastSource !== undefined) $client.exec('create index temp.graph_edges_target on graph_edges (target)');
    findNeighbourhood(db, selection, onProgress);
  }
  const from = hasMembers
    ? 'members m cross join graph_edges e on e.source = m.id where e.target in (select id from members)'
    : 'graph_edges e';
  const edges = $client.prepare<[], GraphEdge>(`select ${EDGE_COLUMNS} from ${from}`).raw();
  let scannedEdges = 0;
  const nodes = scanEdges(edges.iterate(), {
    idLimit: findIdLimit(db, otherNodes),
    given: hasMembers ? $client.prepare<[], number>('select id from members').pluck().all() : [],
    onEdge: () => {
      scannedEdges += 1;
      if (scannedEdges % REPORTED_EDGES === 0) onProgress('reading edges', scannedEdges);
    },
  });
  const attributes = nodeAttributes(network, hasMembers);
  const count = (select: string): number => $client.prepare<[], number>(select).pluck().get()!;
  return {
    network,
    scannedEdges,
    nodeCount: nodes.size,
    nodeColumns: attributes.map(({ name, type, description }) => ({ name, type, description })),
    nodes: () => readNodes(db, nodes, { network, attributes, otherNodes }),
    edges: () => edges.iterate(),
    excluded: Object.fromEntries(Object.entries(leftOut).map(([reason, select]) => [reason, count(select)])),
  };
}

/** All ids of nodes are below. */
function findIdLimit({ $client }: Db, otherNodes: string | undefined): number {
  const others = otherNodes === undefined ? '' : `union all select id from (${otherNodes})`;
  return $client
    .prepare<[], number>(`select coalesce(max(id), 0) + 1 from (select id from users ${others})`)
    .pluck()
    .get()!;
}
