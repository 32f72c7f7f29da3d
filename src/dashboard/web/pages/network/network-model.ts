import { formatCount, pluralize } from '../../../../base/text.ts';
import type { NetworkData } from '../../../server/api/network.ts';
import type { LayoutOrder, PlacedNode } from './layout-worker.ts';

/** Returns the network that the worker lays out. Nodes are positions in the list of the server. */
export function createLayoutOrder({ nodes, follows }: NetworkData): LayoutOrder {
  const known = follows.map((list) => new Set(list));
  const edges = follows.flatMap((list, a) =>
    list.flatMap((b) => {
      const isMutual = known[b]!.has(a);
      // Of a mutual pair, the first node has the edge.
      return isMutual && b < a ? [] : [[a, b, isMutual ? 2 : 1] as const];
    }),
  );
  const given = nodes.flatMap(({ isGiven }, node) => (isGiven ? [node] : []));
  return {
    size: nodes.length,
    edges,
    ego: given.length === 1 ? given[0] : undefined,
  };
}

/** A part of the network with a colour of its own. */
export interface Community {
  /** The rank by size from 1, `other` or `given`. */
  readonly key: string;
  readonly title: string;
  readonly members: readonly number[];
  /** The name of its colour: a custom property of the style sheet. */
  readonly color: string;
}

/** What a picture shows. */
export interface NetworkScene {
  /** The parameters of its address. */
  readonly query: string;
  readonly data: NetworkData;
  readonly order: LayoutOrder;
  readonly places: readonly PlacedNode[];
  readonly communities: readonly Community[];
}

/** As many as there are colours that everybody can distinguish. */
const MAX_COMMUNITIES = 8;
/** Fewer nodes are no community. */
const LEAST_MEMBERS = 3;

/** Names the largest communities by their most followed member; the rest are others. @param ranks of the worker */
export function nameCommunities(
  { nodes }: NetworkData,
  ego: number | undefined,
  ranks: readonly number[],
): Community[] {
  const members: number[][] = Array.from({ length: MAX_COMMUNITIES }, () => []);
  const others: number[] = [];
  for (const [node, rank] of ranks.entries()) if (node !== ego) (members[rank] ?? others).push(node);
  const named = members.filter(({ length }) => length >= LEAST_MEMBERS);
  others.push(...members.slice(named.length).flat());
  const communities = named.map((list, i) => ({
    key: String(i + 1),
    title: isolate(nodes[list[0]!]!.label),
    members: list,
    color: `chart-series-${i + 1}`,
  }));
  return [
    { key: 'given', title: 'Given', members: ego === undefined ? [] : [ego], color: 'ink' },
    ...communities,
    { key: 'other', title: 'Other', members: others, color: 'network-other' },
  ].filter((community) => community.members.length > 0);
}

/** Returns a text of the service within a text: its direction does not change that of the text around it. */
const isolate = (text: string): string => `\u2068${text}\u2069`;

const LISTED = 3;

/** What a network is of: `Network around @nasa, @esa`. */
export function describeGiven({ data: { nodes }, query }: NetworkScene): string {
  const parameters = new URLSearchParams(query);
  const panel = parameters.get('panel');
  const labels = nodes.flatMap(({ isGiven, label }) => (isGiven ? [isolate(label)] : []));
  const names = labels.length > LISTED ? [...labels.slice(0, LISTED), `${labels.length - LISTED} more`] : labels;
  const accounts = parameters.get('accounts')?.split(',') ?? [];
  const given = panel === null ? names : [`the panel ${panel}`, ...accounts.map(isolate)];
  return `Network ${parameters.get('depth') === '0' ? 'among' : 'around'} ${given.join(', ')}`;
}

/** What a network shows and what it cannot show, in sentences. */
export function describeSample({ nodes, total, follows, unknown }: NetworkData): string {
  const rest = nodes.filter(({ lists }) => lists.length === 0).length;
  const all = pluralize(total, 'account');
  return [
    nodes.length < total ? `The ${formatCount(nodes.length)} most followed of ${all}` : `All of ${all}`,
    `, with ${pluralize(follows.flat().length, 'follow')} among them. Edges come only from collected lists`,
    rest === 0 ? '.' : `: follows between two of the ${formatCount(rest)} accounts without one are not known.`,
    unknown.length === 0 ? '' : ` Not stored: ${unknown.slice(0, LISTED).map(isolate).join(', ')}.`,
  ].join('');
}
