import type { NetworkData } from '../../../dashboard/api/network.ts';
import { formatCount } from '../../../text.ts';
import { type LayoutOrder, PICTURE_RADIUS } from './layout/layout-messages.ts';

/** A network as the page shows it. Nodes are positions in the list of the server, the most followed ones first. */
export interface NetworkModel {
  readonly data: NetworkData;
  readonly order: LayoutOrder;
  /** The numbers of nodes that each one follows, and that follow it. */
  readonly followed: Uint16Array;
  readonly followedBy: Uint16Array;
}

/** The radii of nodes in units of the picture: of one without followers, and of the one with the most. */
const [LEAST_RADIUS, GREATEST_RADIUS] = [3.2, 20];
const COVERED_SHARE = 0.25;

export function createNetworkModel(data: NetworkData): NetworkModel {
  const { nodes, follows } = data;
  const count = nodes.length;
  const followedBy = new Uint16Array(count);
  const pairs: number[] = [];
  const weights: number[] = [];
  const known = follows.map((list) => new Set(list));
  for (const [a, list] of follows.entries())
    for (const b of list) {
      followedBy[b]!++;
      const isMutual = known[b]!.has(a);
      // Of a mutual pair, the first node has the edge.
      if (isMutual && b < a) continue;
      pairs.push(a, b);
      weights.push(isMutual ? 2 : 1);
    }
  const given = nodes.flatMap(({ isGiven }, i) => (isGiven ? [i] : []));
  return {
    data,
    order: {
      ...{ count, radii: computeRadii(nodes), edges: Uint32Array.from(pairs), weights: Uint8Array.from(weights) },
      ego: given.length === 1 ? given[0]! : -1,
    },
    followed: Uint16Array.from(follows, (list) => list.length),
    followedBy,
  };
}

/** The area of a node grows with its followers. Together, nodes cover at most `COVERED_SHARE` of the picture. */
function computeRadii(nodes: NetworkData['nodes']): Float32Array {
  const most = Math.max(1, ...nodes.map(({ followers }) => followers ?? 0));
  const radii = Float32Array.from(
    nodes,
    ({ followers }) => LEAST_RADIUS + (GREATEST_RADIUS - LEAST_RADIUS) * Math.sqrt((followers ?? 0) / most),
  );
  const covered = radii.reduce((sum, radius) => sum + radius ** 2, 0) / PICTURE_RADIUS ** 2;
  const scale = Math.min(1, Math.sqrt(COVERED_SHARE / covered));
  return radii.map((radius) => radius * scale);
}

/** A part of the network that is shown or hidden together. */
export interface Community {
  /** In addresses: the rank by size from 1, or `other`. */
  readonly key: string;
  /** For texts; the handle in it is isolated (U+2068), since it may be written from right to left. */
  readonly title: string;
  readonly members: number;
  /** The name of its colour: a custom property of the style sheet. */
  readonly color: string;
}

/** The communities of a network, and which one each node belongs to: an index, or -1 for the ego. */
export interface Communities {
  readonly list: readonly Community[];
  readonly of: Int8Array;
}

/** Returns a text of the service within a text: its direction does not change that of the text around it. */
export const isolate = (text: string): string => `\u2068${text}\u2069`;

/** As many as there are colours that everybody can distinguish. */
const MAX_COMMUNITIES = 8;
/** Fewer nodes are no community. */
const LEAST_MEMBERS = 3;
const OTHER = 'other';
export const EGO_COLOR = 'ink';

/** Names the largest communities by their most followed member; the rest are others. @param ranks of the worker */
export function nameCommunities({ data: { nodes }, order: { ego } }: NetworkModel, ranks: Uint16Array): Communities {
  const members: number[][] = [];
  ranks.forEach((rank, node) => {
    if (node !== ego) (members[rank] ??= []).push(node);
  });
  const named = members.slice(0, MAX_COMMUNITIES).filter((list) => (list?.length ?? 0) >= LEAST_MEMBERS);
  const others = nodes.length - (ego === -1 ? 0 : 1) - named.reduce((sum, { length }) => sum + length, 0);
  const list = named.map((nodesOf, i): Community => {
    const [first] = nodesOf;
    const rest = nodesOf.length - 1;
    return {
      ...{ key: String(i + 1), members: nodesOf.length, color: `chart-series-${i + 1}` },
      title: `${isolate(nodes[first!]!.label)} and ${formatCount(rest)} ${rest === 1 ? 'other' : 'others'}`,
    };
  });
  const other: Community = { key: OTHER, title: 'Other', members: others, color: 'network-other' };
  return {
    list: others === 0 ? list : [...list, other],
    of: Int8Array.from(ranks, (rank, node) => (node === ego ? -1 : Math.min(rank, named.length))),
  };
}
