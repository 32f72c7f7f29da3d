import { UndirectedGraph } from 'graphology';
import { Sigma } from 'sigma';
import { PICTURE_RADIUS } from '../layout/layout-messages.ts';
import { createOverlay } from './draw-overlay.ts';
import type { NetworkPalette } from './network-palette.ts';
import {
  chooseEdgeOpacity,
  colorNameOf,
  edgeColorOf,
  isNodeShown,
  listEdges,
  type PictureScene,
} from './picture-scene.ts';

/** A picture on the screen that can be moved and zoomed. */
export interface NetworkDrawing {
  /** Shows other positions, communities or colours of the same network. */
  show(scene: PictureScene, palette: NetworkPalette): void;
  /** Shows a node with its neighbours only; -1 for all nodes. */
  highlight(node: number): void;
  /** Zooms by a factor around the centre; 1 shows the whole picture. */
  zoom(factor: number): void;
  /** Returns what is on the screen as a picture in other colours, at once. */
  copy(palette: NetworkPalette): HTMLCanvasElement;
  /** Removes it from the page. */
  end(): void;
}

interface DrawingEvents {
  readonly onHover: (node: number) => void;
  readonly onSelect: (node: number) => void;
  /** The browser has taken the graphics memory away. */
  readonly onLost: () => void;
}

const MAX_ZOOM = 30;
/** Fewer edges are wider. */
const FEW_EDGES = 2000;

/** Draws a network with WebGL. @throws Error if the browser has none */
export function drawNetwork(
  box: HTMLElement,
  first: PictureScene,
  colors: NetworkPalette,
  { onHover, onSelect, onLost }: DrawingEvents,
): NetworkDrawing {
  let [scene, palette] = [first, colors];
  const { count } = scene.model.order;
  const graph = new UndirectedGraph();
  for (let i = 0; i < count; i++) graph.addNode(i, { x: scene.at[2 * i]!, y: scene.at[2 * i + 1]! });
  const edges = listEdges(scene);
  for (const edge of edges) graph.addUndirectedEdgeWithKey(edge.edge, edge.from, edge.to, edge);
  const opacity = chooseEdgeOpacity(edges.length);
  const width = edges.length < FEW_EDGES ? 1.5 : 1;
  const isMotionReduced = matchMedia('(prefers-reduced-motion: reduce)').matches;
  const sigma = new Sigma(graph, box, {
    ...{ renderLabels: false, defaultDrawNodeHover: () => undefined, allowInvalidContainer: true },
    stagePadding: Math.min(28, box.clientWidth / 24),
    ...{ minCameraRatio: 1 / MAX_ZOOM, maxCameraRatio: 2, minEdgeThickness: 0.6 },
    ...{ zoomDuration: isMotionReduced ? 0 : 200, inertiaDuration: isMotionReduced ? 0 : 200 },
    nodeReducer: (key, place) => {
      const node = Number(key);
      return {
        ...place,
        ...{ size: scene.radii[node]! * sizeOfUnit(box), color: palette.of(colorNameOf(scene, node)) },
        hidden: !isNodeShown(scene, node),
      };
    },
    edgeReducer: (_, attributes) => {
      const edge = attributes as (typeof edges)[number];
      const isWithin = edge.color !== undefined;
      return {
        color: toBlended(edgeColorOf(edge, palette), isWithin ? opacity.within : opacity.between),
        ...{ size: width, hidden: !isNodeShown(scene, edge.from) || !isNodeShown(scene, edge.to) },
      };
    },
  });
  sigma.setCustomBBox({ x: [-PICTURE_RADIUS, PICTURE_RADIUS], y: [-PICTURE_RADIUS, PICTURE_RADIUS] });
  const overlay = createOverlay(box, (node) => {
    const [x, y] = [scene.at[2 * node]!, scene.at[2 * node + 1]!];
    const radius = sigma.scaleSize(scene.radii[node]! * sizeOfUnit(box));
    return { ...sigma.graphToViewport({ x, y }), radius };
  });
  const drawOverlay = (): void => overlay.draw(scene, palette);
  sigma.on('afterRender', drawOverlay);
  sigma.on('enterNode', ({ node }) => onHover(Number(node)));
  sigma.on('leaveNode', () => onHover(-1));
  sigma.on('clickNode', ({ node }) => onSelect(Number(node)));
  sigma.on('clickStage', () => onSelect(-1));
  sigma.on('doubleClickNode', ({ preventSigmaDefault }) => preventSigmaDefault());
  const released = letPageScroll(box);
  box.addEventListener('webglcontextlost', onLost, { capture: true, signal: released.signal });
  // Sizes depend on that of the box.
  sigma.on('resize', () => sigma.scheduleRefresh());
  return {
    show(changed, changedColors) {
      const isMoved = scene.at !== changed.at;
      const isRepainted = scene.hidden !== changed.hidden || palette !== changedColors;
      [scene, palette] = [changed, changedColors];
      // Both draw with the next frame: positions may arrive faster than frames.
      if (isMoved)
        graph.updateEachNodeAttributes(
          (key) => ({ x: scene.at[2 * Number(key)]!, y: scene.at[2 * Number(key) + 1]! }),
          { attributes: ['x', 'y'] },
        );
      if (isRepainted) sigma.scheduleRefresh();
    },
    highlight(node) {
      overlay.highlight(node);
      drawOverlay();
    },
    zoom(factor) {
      const camera = sigma.getCamera();
      const duration = isMotionReduced ? 0 : 200;
      void (factor === 1
        ? camera.animatedReset({ duration })
        : camera.animate({ ratio: camera.getBoundedRatio(camera.ratio / factor) }, { duration }));
    },
    copy(otherColors) {
      const ownColors = palette;
      palette = otherColors;
      sigma.refresh();
      const layers = [...box.querySelectorAll('canvas')];
      const copy = document.createElement('canvas');
      Object.assign(copy, { width: layers[0]!.width, height: layers[0]!.height });
      for (const layer of layers) copy.getContext('2d')!.drawImage(layer, 0, 0, copy.width, copy.height);
      palette = ownColors;
      sigma.scheduleRefresh();
      return copy;
    },
    end() {
      released.abort();
      overlay.end();
      sigma.kill();
    },
  };
}

/** The pixels of a unit of the picture, before zooming. */
const sizeOfUnit = ({ clientWidth, clientHeight }: HTMLElement): number =>
  Math.min(clientWidth, clientHeight) / (2 * PICTURE_RADIUS);

/** The colours of edges are multiplied by their opacity: the renderer adds them. */
function toBlended(color: string, opacity: number): string {
  const [red, green, blue] = [1, 3, 5].map((at) => Math.round(Number.parseInt(color.slice(at, at + 2), 16) * opacity));
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** The wheel zooms with Ctrl or ⌘ only, and one finger scrolls: the page goes on below the picture. */
function letPageScroll(box: HTMLElement): AbortController {
  const released = new AbortController();
  const options = { capture: true, passive: true, signal: released.signal };
  box.addEventListener(
    'wheel',
    (event) => {
      if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
    },
    options,
  );
  for (const name of ['touchstart', 'touchmove', 'touchend'] as const)
    box.addEventListener(
      name,
      (event) => {
        if (event.touches.length < 2) event.stopPropagation();
      },
      options,
    );
  return released;
}
