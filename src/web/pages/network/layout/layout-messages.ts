/** The messages between the page and the worker that computes communities and positions. */

/** A network to lay out. Nodes are positions in the list of the page. */
export interface LayoutOrder {
  readonly count: number;
  /** Two nodes for each pair that is connected, in whichever direction. */
  readonly edges: Uint32Array;
  /** For each pair: 2 if both follow each other, or 1. */
  readonly weights: Uint8Array;
  /** The radius of each node, where the picture has the radius `PICTURE_RADIUS`. */
  readonly radii: Float32Array;
  /** The node that communities are detected without, since it is connected to all others; -1 for none. */
  readonly ego: number;
}

/** What the worker sends: first the rank of the community of each node, then positions while they settle. */
export type LayoutUpdate =
  | { readonly kind: 'communities'; readonly ranks: Uint16Array }
  | ({ readonly kind: 'positions' } & LayoutStep);

export interface LayoutStep {
  /** Two numbers for each node. */
  readonly at: Float32Array;
  /** The radius of each node: smaller than ordered if the picture would not hold all nodes side by side. */
  readonly radii: Float32Array;
  /** The share of the steps that are done; 1 for the final positions. */
  readonly share: number;
}

/** All positions are at most this far from the origin. */
export const PICTURE_RADIUS = 500;
