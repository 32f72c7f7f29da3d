import { formatCsv } from '../../../export/formats/csv.ts';
import { FORMATS } from '../../../export/formats/formats.ts';
import { toEdgeTable } from '../../../export/graph/edge-table.ts';
import { formatGexf, GEXF_MEDIA_TYPE } from '../../../export/graph/gexf.ts';
import type { Graph, GraphEdge } from '../../../export/graph/graph.ts';
import { NETWORKS } from '../../../export/graph/networks.ts';
import { readNodes } from '../../../export/graph/read-nodes.ts';
import { scanEdges } from '../../../export/graph/scan-edges.ts';
import { nodeAttributes } from '../../../export/graph/sql/node-attributes.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { pluralize } from '../../../text.ts';
import { type ReadContext, ReadFile, type ReadRequest } from '../../reader/read.ts';
import { findGivenAccounts, parseNetworkQuery } from './network-query.ts';
import { readFollowsAmong } from './read-follows.ts';
import { selectNodes } from './select-nodes.ts';

/** Writes the network of a page as GEXF, as `trawl export graph` writes it. */
export function writeNetworkGexf(context: ReadContext, request: ReadRequest): ReadFile {
  const { graph, total } = readPreview(context.db, request);
  const sample = `The ${graph.nodeCount} most followed of ${pluralize(total, 'account')}.`;
  const text = `${sample} ${NETWORKS.follows.meaning} As of ${new Date(context.now).toISOString()}.`;
  return new ReadFile('network.gexf', GEXF_MEDIA_TYPE, [...formatGexf(graph, text)].join(''));
}

/** Writes the follows of a page as CSV: an edge table of Gephi. */
export function writeNetworkEdges({ db }: ReadContext, request: ReadRequest): ReadFile {
  const { graph } = readPreview(db, request);
  return new ReadFile('network-edges.csv', FORMATS.csv.mediaType, [...formatCsv(toEdgeTable(graph))].join(''));
}

/** Returns the nodes and the follows of a page as the network that exports write. */
function readPreview(db: Db, request: ReadRequest): { readonly graph: Graph; readonly total: number } {
  const query = parseNetworkQuery(request);
  const { rows, total } = selectNodes(db, findGivenAccounts(db, query).ids, query);
  const ids = rows.map(({ id }) => id);
  const select = db.$client
    .prepare<[number, number], GraphEdge>(
      `select follower_id, followee_id, 1, first_seen_at, ended_at, last_seen_at, null from follows
       where follower_id = ? and followee_id = ?`,
    )
    .raw();
  const edges = readFollowsAmong(db, ids).flatMap((list, i) =>
    list.map((followee) => select.get(ids[i]!, ids[followee]!) as GraphEdge),
  );
  const idLimit = Math.max(0, ...ids) + 1;
  const ends = edges.map(([source, target, , startAt, endAt]) => [source, target, startAt, endAt] as const);
  const nodes = scanEdges(ends, { idLimit, given: ids, isLargestComponent: false });
  const attributes = nodeAttributes('follows', false);
  const graph: Graph = {
    ...{ network: 'follows', idLimit, nodeCount: nodes.size, edges: () => edges },
    nodeColumns: attributes.map(({ name, type, description }) => ({ name, type, description })),
    nodes: () => readNodes(db, nodes, { network: 'follows', attributes, otherNodes: undefined }),
  };
  return { graph, total };
}
