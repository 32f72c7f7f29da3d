import type { SqlValue } from '#analysis/sql/sql-query.ts';
import type { ResultColumn, ResultSet } from '#files/export/result-set.ts';
import type { Selection } from '#files/export/row-selection.ts';

export const NETWORK_NAMES = ['follows', 'replies', 'mentions', 'cohashtags', 'colinks'] as const;
export type NetworkName = (typeof NETWORK_NAMES)[number];

/** What the nodes, the edges and the times of a network mean. */
export interface Network {
  readonly isDirected: boolean;
  readonly nodes: 'accounts' | 'hashtags';
  /** One sentence on edges, weights and times, which is written into the file. */
  readonly meaning: string;
  /** Whether edges have a weight. All follows have the weight 1. */
  readonly isWeighted: boolean;
  /** The columns of the edge table after Source, Target, Type and Weight: start, end and others. */
  readonly edgeColumns: readonly ResultColumn[];
}

const timestamp = (name: string, description: string): ResultColumn => ({ name, type: 'timestamp', description });

/** The times of an edge of tweets. */
const TWEET_TIMES = [
  timestamp('first_at', 'The time of the first of the tweets that make the edge.'),
  timestamp('last_at', 'The time of the last one.'),
];

export const NETWORKS: Readonly<Record<NetworkName, Network>> = {
  follows: {
    isDirected: true,
    isWeighted: false,
    nodes: 'accounts',
    meaning:
      'Edges lead from the follower to the followed account. Times are observations: an edge starts when it was first seen ' +
      '(when it began is unknown), and ends at the latest possible time of its end; without an end, it is not known to have ended.',
    edgeColumns: [
      timestamp('first_seen_at', 'When the edge was first seen. When it began is unknown.'),
      timestamp('ended_at', 'The latest time of its end; null if it is not known to have ended.'),
      timestamp('last_seen_at', 'When the edge was last seen.'),
    ],
  },
  replies: {
    isDirected: true,
    isWeighted: true,
    nodes: 'accounts',
    meaning:
      'Edges lead from the author of replies to the account that is answered. The weight is the number of replies; ' +
      'times are those of the first and the last reply.',
    edgeColumns: TWEET_TIMES,
  },
  mentions: {
    isDirected: true,
    isWeighted: true,
    nodes: 'accounts',
    meaning:
      'Edges lead from the author of tweets to the account that they mention. The weight is the number of tweets; ' +
      'times are those of the first and the last tweet.',
    edgeColumns: TWEET_TIMES,
  },
  cohashtags: {
    isDirected: false,
    isWeighted: true,
    nodes: 'hashtags',
    meaning:
      'Edges connect hashtags of the same tweet. The weight is the number of tweets with both; times are those of the ' +
      'first and the last of them.',
    edgeColumns: TWEET_TIMES,
  },
  colinks: {
    isDirected: false,
    isWeighted: true,
    nodes: 'accounts',
    meaning:
      'Edges connect accounts that shared the same link. The weight is the number of links that both shared; times are ' +
      'the earliest and the latest time at which both had shared one of them.',
    edgeColumns: [
      timestamp('first_at', 'The earliest time at which both had shared one of the links.'),
      timestamp('last_at', 'The latest one.'),
    ],
  },
};

/** The part of a network to export. The filters apply in the order of these fields. */
export interface GraphSelection extends Pick<
  Selection,
  'since' | 'until' | 'includeDeleted' | 'accountRestIds' | 'olderThan'
> {
  /** The least weight of an edge. */
  readonly minWeight: number;
  /** The maximum number of steps, in either direction, from the accounts to a node; 0 for edges among the accounts. */
  readonly depth: number;
}

/** A network to write. Its nodes and its edges are read lazily, and may be read again. */
export interface Graph {
  readonly network: NetworkName;
  /** The attributes of nodes. */
  readonly nodeColumns: readonly ResultColumn[];
  readonly nodeCount: number;
  nodes(): Iterable<GraphNode>;
  edges(): Iterable<GraphEdge>;
}

export interface GraphNode {
  /** The number by which edges refer to it. */
  readonly id: number;
  /** The id in the file: the service's id of an account, `@handle` if only that is known, or a hashtag. */
  readonly key: string;
  readonly label: string;
  /** Milliseconds UTC; null if it is unknown or open. */
  readonly startAt: number | null;
  readonly endAt: number | null;
  /** The values of the attributes, in order. */
  readonly values: readonly SqlValue[];
}

/** A row of `graph_edges`. Times are milliseconds UTC. */
export type GraphEdge = readonly [
  source: number,
  target: number,
  weight: number,
  startAt: number | null,
  endAt: number | null,
  lastSeenAt: number | null,
  /** For an edge that may have several periods, all of them as a JSON list of [start, end]. */
  periods: string | null,
];

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
