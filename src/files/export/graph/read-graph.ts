import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { splitIntoBatches } from '#base/batches.ts';
import type { Db } from '#store/sqlite/database.ts';
import {
  type Graph,
  type GraphEdge,
  type GraphSelection,
  type NetworkName,
  NETWORKS,
  type GraphNode,
} from './networks.ts';
import { defineMentions, defineReplies, defineCohashtags, defineColinks } from './sql/contact-edges.ts';
import { defineFollows } from './sql/follow-edges.ts';
import { buildEdges, type OnProgress, findNeighbourhood, EDGE_COLUMNS, type NetworkSql } from './sql/network-sql.ts';
import { nodeAttributes, type NodeAttribute } from './sql/node-attributes.ts';

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

/** The nodes of a network, found by one pass over its edges. Memory: 17 bytes per id. */
interface NodeSet {
  readonly size: number;
  has(id: number): boolean;
  /** The ids, ascending. */
  ids(): Iterable<number>;
  /** The time from the first start to the last end of its edges: null if it is unknown or open, or without edges. */
  timesOf(id: number): readonly [startAt: number | null, endAt: number | null];
}

interface ScanOptions {
  /** All ids are below. */
  readonly idLimit: number;
  /** Nodes that need no edges. */
  readonly given: Iterable<number>;
  readonly onEdge?: (() => void) | undefined;
}

export function scanEdges(edges: Iterable<GraphEdge>, options: ScanOptions): NodeSet {
  const { idLimit, given, onEdge } = options;
  const isNode = new Uint8Array(idLimit);
  const starts = new Float64Array(idLimit).fill(Infinity);
  const ends = new Float64Array(idLimit).fill(-Infinity);
  for (const id of given) isNode[id] = 1;
  for (const [source, target, , startAt, endAt] of edges) {
    const [start, end] = [startAt ?? -Infinity, endAt ?? Infinity];
    isNode[source] = 1;
    isNode[target] = 1;
    if (start < starts[source]!) starts[source] = start;
    if (start < starts[target]!) starts[target] = start;
    if (end > ends[source]!) ends[source] = end;
    if (end > ends[target]!) ends[target] = end;
    onEdge?.();
  }
  const finite = (time: number): number | null => (Number.isFinite(time) ? time : null);
  return {
    size: isNode.reduce((count, flag) => count + flag, 0),
    has: (id) => isNode[id] === 1,
    *ids() {
      for (let id = 0; id < idLimit; id++) if (isNode[id] === 1) yield id;
    },
    timesOf: (id) => [finite(starts[id]!), finite(ends[id]!)],
  };
}

type NodeRow = [id: number, key: string, label: string, ...values: SqlValue[]];

/** Reads the nodes of a set: stored accounts in order of their number, then other nodes. */
export function* readNodes(
  { $client }: Db,
  nodes: NodeSet,
  { network, attributes, otherNodes }: ReadNodesOptions,
): Generator<GraphNode, void> {
  const toNode = ([id, key, label, ...values]: NodeRow): GraphNode => {
    const [startAt, endAt] = nodes.timesOf(id);
    return { id, key, label, startAt, endAt, values };
  };
  if (NETWORKS[network].nodes === 'accounts') {
    const select = $client.prepare<[string], NodeRow>(
      `select u.id, u.rest_id, coalesce(u.screen_name, u.rest_id), ${attributes.map(({ ofAccount }) => ofAccount).join(', ')}
       from json_each(?) j cross join users u on u.id = j.value left join _user_last_seen s on s.user_id = u.id`,
    );
    for (const batch of splitIntoBatches(nodes.ids()))
      for (const row of select.raw().all(JSON.stringify(batch))) yield toNode(row as NodeRow);
  }
  if (otherNodes === undefined) return;
  const select = $client.prepare<[], NodeRow>(
    `select n.id, n.key, coalesce(n.label, n.key), ${attributes.map(({ ofOther }) => ofOther).join(', ')} from (${otherNodes}) n order by n.id`,
  );
  for (const row of select.raw().iterate()) if (nodes.has((row as NodeRow)[0])) yield toNode(row as NodeRow);
}

interface ReadNodesOptions {
  readonly network: NetworkName;
  readonly attributes: readonly NodeAttribute[];
  /** The statement of the nodes that are no stored accounts. */
  readonly otherNodes: string | undefined;
}
