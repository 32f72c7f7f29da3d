import { UndirectedGraph } from 'graphology';
import { Sigma } from 'sigma';
import { drawDiscNodeLabel } from 'sigma/rendering';
import { formatCount, pluralize } from '#base/text.ts';
import type { NetworkData } from '#dashboard/server/api/network.ts';
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

/** Draws a network in the present colours. It can be moved and zoomed. */
export function drawNetwork(box: HTMLElement, { data: { nodes }, order, places, communities }: NetworkScene): Sigma {
  const graph = new UndirectedGraph();
  for (const [node, place] of places.entries()) graph.addNode(node, { ...place, label: nodes[node]!.label });
  for (const { key, color, members } of communities)
    for (const node of members) graph.mergeNodeAttributes(node, { key, color: readColor(box, color) });
  const opacity = Math.min(0.6, Math.max(0.08, 18 / Math.sqrt(order.edges.length)));
  const [ink, ground, faded, edgeColor] = ['ink', 'panel', 'line', 'network-edge'].map((name) => readColor(box, name));
  for (const [a, b] of order.edges) {
    const [from, to] = [graph.getNodeAttributes(a), graph.getNodeAttributes(b)];
    const color = from['key'] === to['key'] && from['key'] !== 'other' ? (from['color'] as string) : edgeColor!;
    graph.addEdge(a, b, { size: 0, color: fade(color, opacity) });
  }
  const drawLabel: typeof drawDiscNodeLabel = (context, ...label) => {
    // Shadows in the colour of the ground keep the text apart from the nodes behind it.
    context.shadowColor = ground!;
    context.shadowBlur = 3;
    for (let shadow = 0; shadow < 3; shadow++) drawDiscNodeLabel(context, ...label);
  };
  let hovered: string | undefined;
  const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200;
  const sigma = new Sigma(graph, box, {
    itemSizesReference: 'positions',
    minEdgeThickness: 0.8,
    zoomDuration: duration,
    inertiaDuration: duration,
    labelFont: 'system-ui, sans-serif',
    labelColor: { color: ink! },
    labelGridCellSize: 160,
    defaultDrawNodeLabel: drawLabel,
    // The box of sigma's own label is white in both themes.
    defaultDrawNodeHover: drawLabel,
    nodeReducer: (node, attributes) => {
      const isFaded = hovered !== undefined && hovered !== node && !graph.areNeighbors(hovered, node);
      return isFaded
        ? { ...attributes, color: faded!, label: null }
        : { ...attributes, forceLabel: nodes[Number(node)]!.isGiven };
    },
    edgeReducer: (edge, attributes) => {
      const isHidden = hovered !== undefined && !graph.hasExtremity(edge, hovered);
      return { ...attributes, hidden: isHidden };
    },
  });
  const showNeighbours = (node: string | undefined): void => {
    hovered = node;
    box.style.cursor = node === undefined ? '' : 'pointer';
    sigma.refresh({ skipIndexation: true });
  };
  sigma.on('enterNode', ({ node }) => showNeighbours(node));
  sigma.on('leaveNode', () => showNeighbours(undefined));
  for (const name of ['wheel', 'touchstart', 'touchmove', 'touchend']) box.addEventListener(name, letPageScroll, true);
  return sigma;
}

/** The wheel zooms with Ctrl or ⌘ only, and one finger scrolls: the page goes on below the picture. */
function letPageScroll(event: Event): void {
  const { ctrlKey, metaKey, touches } = event as WheelEvent & TouchEvent;
  if (touches ? touches.length < 2 : !ctrlKey && !metaKey) event.stopPropagation();
}

/** Returns a colour with an opacity. The renderer expects colours that are multiplied by it. */
const fade = (color: string, opacity: number): string => {
  const channels = color.match(/\d+/g)!.map((channel) => Math.round(Number(channel) * opacity));
  return `rgba(${channels.join()},${opacity})`;
};

/** Returns a custom property as a colour that a canvas understands. */
function readColor(element: HTMLElement, name: string): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
