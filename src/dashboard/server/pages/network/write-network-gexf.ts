import { pluralize } from '../../../../base/text.ts';
import { toIso } from '../../../../base/units.ts';
import { formatGexf, GEXF_MEDIA_TYPE } from '../../../../files/export/graph/gexf.ts';
import { NETWORKS } from '../../../../files/export/graph/networks.ts';
import { readNodes } from '../../../../files/export/graph/read-nodes.ts';
import { scanEdges } from '../../../../files/export/graph/scan-edges.ts';
import { nodeAttributes } from '../../../../files/export/graph/sql/node-attributes.ts';
import { type ReadContext, ReadFile, type ReadRequest } from '../../reader/read.ts';
import { findGivenAccounts, parseNetworkQuery } from './network-query.ts';
import { readFollowsAmong, selectNodes } from './select-network.ts';

/** Writes the network of a page as GEXF, as `trawl export graph` writes it. */
export function writeNetworkGexf({ db, now }: ReadContext, request: ReadRequest): ReadFile {
  const query = parseNetworkQuery(request);
  const rows = selectNodes(db, findGivenAccounts(db, query).ids, query.hasNeighbours);
  const ids = rows.map(({ id }) => id);
  const edges = readFollowsAmong(db, ids);
  const idLimit = Math.max(0, ...ids) + 1;
  const nodes = scanEdges(edges, { idLimit, given: ids });
  const attributes = nodeAttributes('follows', false);
  const sample = `The ${nodes.size} most followed of ${pluralize(rows[0]?.total ?? 0, 'account')}.`;
  const text = `${sample} ${NETWORKS.follows.meaning} As of ${toIso(now)}.`;
  const graph = {
    network: 'follows',
    nodeCount: nodes.size,
    nodeColumns: attributes,
    nodes: () => readNodes(db, nodes, { network: 'follows', attributes, otherNodes: undefined }),
    edges: () => edges,
  } as const;
  return new ReadFile('network.gexf', GEXF_MEDIA_TYPE, [...formatGexf(graph, text)].join(''));
}
