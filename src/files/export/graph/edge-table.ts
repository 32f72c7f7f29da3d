import type { ResultColumn, ResultSet } from '../result-set.ts';
import type { Graph } from './graph.ts';
import { type NetworkName, NETWORKS } from './networks.ts';

/** The columns of an edge table, as Gephi names them. */
export const edgeTableColumns = (network: NetworkName): readonly ResultColumn[] => [
  { name: 'Source', type: 'text', description: 'The id of the node where the edge begins.' },
  { name: 'Target', type: 'text', description: 'The id of the node where the edge ends.' },
  { name: 'Type', type: 'text', description: 'Directed or Undirected.' },
  { name: 'Weight', type: 'integer', description: 'The weight of the edge.' },
  ...NETWORKS[network].edgeColumns,
];

const NODE_TABLE_COLUMNS: readonly ResultColumn[] = [
  { name: 'Id', type: 'text', description: 'The id of the node, as in the edge table.' },
  { name: 'Label', type: 'text', description: 'The handle of the account, or the hashtag.' },
];

/** The rows of the edge table of a network. */
export function toEdgeTable(graph: Graph): ResultSet {
  const columns = edgeTableColumns(graph.network);
  const { edgeColumns, isDirected } = NETWORKS[graph.network];
  const type = isDirected ? 'Directed' : 'Undirected';
  const hasLastSeen = edgeColumns.length > 2;
  return {
    columns,
    rows: {
      *[Symbol.iterator]() {
        const keys: string[] = [];
        for (const { id, key } of graph.nodes()) keys[id] = key;
        for (const [source, target, weight, startAt, endAt, lastSeenAt] of graph.edges()) {
          const row = [keys[source]!, keys[target]!, type, weight, startAt, endAt];
          yield hasLastSeen ? [...row, lastSeenAt] : row;
        }
      },
    },
  };
}

/** The rows of the node table of a network. */
export const toNodeTable = (graph: Graph): ResultSet => ({
  columns: [...NODE_TABLE_COLUMNS, ...graph.nodeColumns],
  rows: {
    *[Symbol.iterator]() {
      for (const { key, label, values } of graph.nodes()) yield [key, label, ...values];
    },
  },
});
