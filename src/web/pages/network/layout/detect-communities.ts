import { UndirectedGraph } from 'graphology';
import louvain from 'graphology-communities-louvain';
import type { LayoutOrder } from './layout-messages.ts';
import { createRandom } from './random.ts';

/**
 * Detects communities (Louvain), and returns the rank of the community of each node: 0 is the largest one, and of two of the
 * same size the one with the first node. Equal networks have equal communities.
 */
export function detectCommunities({ count, edges, weights, ego }: LayoutOrder): Uint16Array {
  const graph = new UndirectedGraph();
  for (let i = 0; i < count; i++) if (i !== ego) graph.addNode(i);
  for (let i = 0; i < weights.length; i++) {
    const [a, b] = [edges[2 * i]!, edges[2 * i + 1]!];
    if (a !== ego && b !== ego) graph.addEdge(a, b, { weight: weights[i]! });
  }
  const found = graph.size === 0 ? {} : louvain(graph, { rng: createRandom(graph.order), getEdgeWeight: 'weight' });
  // Without edges, each node is a community of its own, and so is the node that was left out.
  const communityOf = Array.from({ length: count }, (_, i) => found[i] ?? count + i);
  const members = new Map<number, number>();
  for (const community of communityOf) members.set(community, (members.get(community) ?? 0) + 1);
  // The sort is stable, and the map has the communities in the order of their first node.
  const ranked = [...members].toSorted(([, a], [, b]) => b - a).map(([community]) => community);
  const ranks = new Map(ranked.map((community, rank) => [community, rank]));
  return Uint16Array.from(communityOf, (community) => ranks.get(community)!);
}
