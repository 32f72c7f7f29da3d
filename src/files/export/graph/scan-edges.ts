import { createDisjointSets } from './disjoint-sets.ts';
import type { GraphEdge } from './graph.ts';

/** The nodes of a network, found by one pass over its edges. Memory: 17 bytes per id, and 8 for components. */
export interface NodeSet {
  readonly size: number;
  has(id: number): boolean;
  /** The ids, ascending. */
  ids(): Iterable<number>;
  /** The time from the first start to the last end of its edges: null if it is unknown or open, or without edges. */
  timesOf(id: number): readonly [startAt: number | null, endAt: number | null];
  /** Nodes outside of the largest component. */
  readonly dropped: number;
}

interface ScanOptions {
  /** All ids are below. */
  readonly idLimit: number;
  /** Nodes that need no edges. */
  readonly given: Iterable<number>;
  /** Only the largest weakly connected component; the one with the smallest id among components of the same size. */
  readonly isLargestComponent: boolean;
  readonly onEdge?: (() => void) | undefined;
}

export function scanEdges(edges: Iterable<GraphEdge>, options: ScanOptions): NodeSet {
  const { idLimit, given, isLargestComponent, onEdge } = options;
  const isNode = new Uint8Array(idLimit);
  const starts = new Float64Array(idLimit).fill(Infinity);
  const ends = new Float64Array(idLimit).fill(-Infinity);
  const components = isLargestComponent ? createDisjointSets(idLimit) : undefined;
  for (const id of given) isNode[id] = 1;
  for (const [source, target, , startAt, endAt] of edges) {
    const [start, end] = [startAt ?? -Infinity, endAt ?? Infinity];
    isNode[source] = 1;
    isNode[target] = 1;
    if (start < starts[source]!) starts[source] = start;
    if (start < starts[target]!) starts[target] = start;
    if (end > ends[source]!) ends[source] = end;
    if (end > ends[target]!) ends[target] = end;
    components?.unite(source, target);
    onEdge?.();
  }
  const all = countNodes(isNode);
  if (components) keepLargest(isNode, (id) => components.find(id));
  const size = components ? countNodes(isNode) : all;
  const finite = (time: number): number | null => (Number.isFinite(time) ? time : null);
  return {
    size,
    dropped: all - size,
    has: (id) => isNode[id] === 1,
    *ids() {
      for (let id = 0; id < idLimit; id++) if (isNode[id] === 1) yield id;
    },
    timesOf: (id) => [finite(starts[id]!), finite(ends[id]!)],
  };
}

function countNodes(isNode: Uint8Array): number {
  let count = 0;
  for (const flag of isNode) count += flag;
  return count;
}

function keepLargest(isNode: Uint8Array, componentOf: (id: number) => number): void {
  const sizes = new Uint32Array(isNode.length);
  let largest = -1;
  for (let id = 0; id < isNode.length; id++) {
    if (isNode[id] === 0) continue;
    sizes[componentOf(id)]! += 1;
  }
  for (let id = 0; id < isNode.length; id++) {
    if (isNode[id] === 0) continue;
    const component = componentOf(id);
    if (largest === -1 || sizes[component]! > sizes[largest]!) largest = component;
  }
  for (let id = 0; id < isNode.length; id++) if (isNode[id] === 1 && componentOf(id) !== largest) isNode[id] = 0;
}
