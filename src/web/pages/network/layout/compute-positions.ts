import { UndirectedGraph } from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';
import { type LayoutOrder, type LayoutStep, PICTURE_RADIUS } from './layout-messages.ts';
import { separateNodes } from './separate-nodes.ts';

/** The number of steps, whatever the time: equal networks have equal positions. */
const STEPS = 30;
const ITERATIONS_PER_STEP = 15;
/** Below this number, all pairs of nodes are computed. */
const LEAST_APPROXIMATED = 300;
const GOLDEN_ANGLE = Math.PI * (3 - Math.sqrt(5));

/** Yields positions while they settle (ForceAtlas2). In the last ones, no nodes overlap. */
export function* computePositions(order: LayoutOrder, ranks: Uint16Array): Generator<LayoutStep, void> {
  const { count, edges, weights, radii } = order;
  const graph = new UndirectedGraph();
  placeByCommunity(ranks).forEach(([x, y], i) => graph.addNode(i, { x, y }));
  for (let i = 0; i < weights.length; i++) graph.addEdge(edges[2 * i]!, edges[2 * i + 1]!, { weight: weights[i]! });
  const settings = {
    ...{ linLogMode: true, gravity: 0.05, scalingRatio: 1, slowDown: 4, edgeWeightInfluence: 1 },
    ...{ barnesHutOptimize: count >= LEAST_APPROXIMATED, barnesHutTheta: 0.6 },
  };
  const read = (): Float32Array => {
    const at = new Float32Array(2 * count);
    graph.forEachNode((node, { x, y }) => at.set([x as number, y as number], 2 * Number(node)));
    return fitToPicture(at);
  };
  for (let step = 1; step < STEPS; step++) {
    forceAtlas2.assign(graph, { iterations: ITERATIONS_PER_STEP, settings, getEdgeWeight: 'weight' });
    yield { at: read(), radii, share: step / STEPS };
  }
  const apart = separateNodes(read(), radii);
  // Positions and radii alike: no nodes overlap then either.
  const reach = Math.max(...radii.map((radius, i) => radius + Math.hypot(apart[2 * i]!, apart[2 * i + 1]!)));
  const scale = Math.min(1, PICTURE_RADIUS / reach);
  yield { at: apart.map((value) => value * scale), radii: radii.map((radius) => radius * scale), share: 1 };
}

/** Communities on a spiral, the largest one inside, and the nodes of each on a spiral of their own. */
function placeByCommunity(ranks: Uint16Array): [x: number, y: number][] {
  const members: number[] = [];
  for (const rank of ranks) members[rank] = (members[rank] ?? 0) + 1;
  let before = 0;
  const centres = members.map((n, rank): [number, number] => {
    const centre = toSpiral(rank, 2 * Math.sqrt(before + (rank === 0 ? 0 : n)));
    before += n;
    return centre;
  });
  const placed = members.map(() => 0);
  return Array.from(ranks, (rank) => {
    const place = placed[rank]!++;
    const [x, y] = toSpiral(place, Math.sqrt(place));
    return [centres[rank]![0] + x, centres[rank]![1] + y];
  });
}

const toSpiral = (place: number, radius: number): [number, number] => [
  radius * Math.cos(place * GOLDEN_ANGLE),
  radius * Math.sin(place * GOLDEN_ANGLE),
];

/** The share of nodes whose distances keep their scale. */
const KEPT_SHARE = 0.95;

/** Moves the centre to the origin, and scales to the radius of the picture. The few nodes far outside come closer. */
function fitToPicture(at: Float32Array): Float32Array {
  const count = at.length / 2;
  let [centreX, centreY] = [0, 0];
  for (let i = 0; i < count; i++) {
    centreX += at[2 * i]! / count;
    centreY += at[2 * i + 1]! / count;
  }
  const distances = Float32Array.from({ length: count }, (_, i) =>
    Math.hypot(at[2 * i]! - centreX, at[2 * i + 1]! - centreY),
  );
  const usual = distances.toSorted()[Math.floor(KEPT_SHARE * (count - 1))] || 1;
  const shorten = (distance: number): number =>
    distance <= usual ? distance : usual * (1 + Math.log(distance / usual) / 2);
  const scale = PICTURE_RADIUS / Math.max(usual, ...Array.from(distances, shorten));
  return at.map((value, i) => {
    const distance = distances[i >> 1]!;
    const factor = distance === 0 ? 0 : (scale * shorten(distance)) / distance;
    return (value - (i % 2 === 0 ? centreX : centreY)) * factor;
  });
}
