import { UndirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';
import forceAtlas2 from 'graphology-layout-forceatlas2';

/** A network to lay out. Nodes are numbered from 0. */
export interface LayoutOrder {
  /** The number of nodes. */
  readonly size: number;
  /** The pairs that are connected. The weight is 2 if both follow each other, or else 1. */
  readonly edges: readonly (readonly [a: number, b: number, weight: number])[];
  /** The node that communities are detected without, since it is connected to all others. */
  readonly ego: number | undefined;
}

export interface PlacedNode {
  readonly x: number;
  readonly y: number;
  /** The radius, in the unit of the positions. */
  readonly size: number;
  /** The rank of its community by size, from 0. */
  readonly rank: number;
}

/** The numbers of steps are fixed, so that equal networks have equal positions: first of points, then of discs. */
const POINT_STEPS = 400;
const DISC_STEPS = 100;
/** The radii of nodes without edges and with the most, as shares of the radius of the picture. */
const [LEAST_SIZE, MAX_SIZE] = [0.007, 0.05];

addEventListener('message', ({ data }: MessageEvent<LayoutOrder>) => postMessage(layOut(data)));

function layOut({ size, edges, ego }: LayoutOrder): PlacedNode[] {
  const graph = new UndirectedGraph();
  for (let node = 0; node < size; node++) graph.addNode(node);
  for (const [a, b, weight] of edges) graph.addEdge(a, b, { weight });
  const ranks = rankCommunities(graph, ego);
  // On a circle, the nodes of a community side by side.
  for (const [node, rank] of ranks.entries()) {
    const angle = rank + node / ranks.length;
    graph.mergeNodeAttributes(node, { x: Math.cos(angle), y: Math.sin(angle) });
  }
  const settings = {
    linLogMode: true,
    gravity: 0.05,
    slowDown: 4,
    barnesHutOptimize: ranks.length > 300,
  };
  forceAtlas2.assign(graph, { iterations: POINT_STEPS, settings });
  const distances = graph.mapNodes((_, { x, y }) => Math.hypot(x as number, y as number)).toSorted((a, b) => a - b);
  const radius = distances[Math.floor(0.9 * distances.length)] || 1;
  // The ego has an edge to all others, which says nothing about its size.
  const most = Math.max(1, ...graph.mapNodes((node) => (Number(node) === ego ? 0 : graph.degree(node))));
  for (const node of graph.nodes()) {
    const share = Math.min(1, graph.degree(node) / most);
    graph.setNodeAttribute(node, 'size', radius * (LEAST_SIZE + (MAX_SIZE - LEAST_SIZE) * share));
  }
  forceAtlas2.assign(graph, { iterations: DISC_STEPS, settings: { ...settings, adjustSizes: true } });
  return graph.mapNodes((node, { x, y, size }) => ({
    x: x as number,
    y: y as number,
    size: size as number,
    rank: ranks[Number(node)]!,
  }));
}

/** Detects communities (Louvain), and returns the rank of that of each node. Equal networks have equal communities. */
function rankCommunities(graph: UndirectedGraph, ego: number | undefined): number[] {
  const others = graph.copy();
  if (ego !== undefined) others.dropNode(ego);
  const found = others.size === 0 ? {} : louvain(others, { randomWalk: false, getEdgeWeight: 'weight' });
  // Without edges, each node is a community of its own, and so is the node that was left out.
  const communityOf = graph.mapNodes((node) => found[node] ?? graph.order + Number(node));
  const sizes = new Map<number, number>();
  for (const community of communityOf) sizes.set(community, (sizes.get(community) ?? 0) + 1);
  const ranked = [...sizes].toSorted(([, a], [, b]) => b - a).map(([community]) => community);
  return communityOf.map((community) => ranked.indexOf(community));
}
