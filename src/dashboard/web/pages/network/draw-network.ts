import { UndirectedGraph } from 'graphology';
import { Sigma } from 'sigma';
import { drawDiscNodeLabel } from 'sigma/rendering';
import type { NetworkScene } from './network-model.ts';

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
