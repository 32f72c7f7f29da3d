import type { Communities, NetworkModel } from '../network-model.ts';
import { EGO_COLOR } from '../network-model.ts';
import type { NetworkPalette } from './network-palette.ts';

/** All that a picture shows. */
export interface PictureScene {
  readonly model: NetworkModel;
  readonly communities: Communities;
  /** The keys of the communities that are not shown. */
  readonly hidden: ReadonlySet<string>;
  /** Two numbers for each node. */
  readonly at: Float32Array;
  readonly radii: Float32Array;
}

/** Whether a node is shown. */
export function isNodeShown(
  { communities: { list, of }, hidden }: Pick<PictureScene, 'communities' | 'hidden'>,
  node: number,
): boolean {
  const community = list[of[node]!];
  return community === undefined || !hidden.has(community.key);
}

/** Lists the given accounts that are shown; none if no others are in the network. */
export function listMarkedNodes(scene: PictureScene): number[] {
  const { nodes } = scene.model.data;
  if (nodes.every(({ isGiven }) => isGiven)) return [];
  return nodes.flatMap(({ isGiven }, node) => (isGiven && isNodeShown(scene, node) ? [node] : []));
}

/** The name of the colour of a node. */
export const colorNameOf = ({ communities: { list, of } }: Pick<PictureScene, 'communities'>, node: number): string =>
  list[of[node]!]?.color ?? EGO_COLOR;

/** An edge of a picture, with its place in `LayoutOrder.weights`. */
export interface SceneEdge {
  readonly edge: number;
  readonly from: number;
  readonly to: number;
  /** The name of the colour that it has within a community; undefined for an edge between two of them. */
  readonly color: string | undefined;
}

/** Lists the edges in the order in which they are drawn: those within communities first, below the others. */
export function listEdges({ model, communities }: Pick<PictureScene, 'model' | 'communities'>): SceneEdge[] {
  const { edges, weights, ego } = model.order;
  const { of, list } = communities;
  const all = Array.from(weights, (_, edge): SceneEdge => {
    const [from, to] = [edges[2 * edge]!, edges[2 * edge + 1]!];
    const isWithin = from !== ego && to !== ego && of[from] === of[to] && list[of[from]!]?.key !== 'other';
    return { edge, from, to, color: isWithin ? list[of[from]!]!.color : undefined };
  });
  return [...all.filter(({ color }) => color !== undefined), ...all.filter(({ color }) => color === undefined)];
}

/** How opaque edges are: the more of them, the less. */
export function chooseEdgeOpacity(edges: number): { readonly within: number; readonly between: number } {
  const within = Math.min(0.7, Math.max(0.08, 18 / Math.sqrt(edges)));
  return { within, between: within * 0.8 };
}

/** The fill of an edge. */
export const edgeColorOf = ({ color }: SceneEdge, palette: NetworkPalette): string =>
  color === undefined ? palette.edge : palette.of(color);
