import type { SqlValue } from '../../../analysis/sql/sql-query.ts';
import type { ResultColumn } from '../result-set.ts';
import type { NetworkName } from './networks.ts';

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
