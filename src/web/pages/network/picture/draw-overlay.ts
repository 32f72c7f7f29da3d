import { LABEL_FONT } from './label-font.ts';
import type { NetworkPalette } from './network-palette.ts';
import { colorNameOf, isNodeShown, listMarkedNodes, type PictureScene } from './picture-scene.ts';
import { type LabelCandidate, placeLabels } from './place-labels.ts';

/** What is drawn above the nodes: labels, rings of given accounts, and the neighbours of a node. */
export interface NetworkOverlay {
  /** Selects the node whose neighbours are drawn next; -1 for none. */
  highlight(node: number): void;
  draw(scene: PictureScene, palette: NetworkPalette): void;
  /** Removes it from the page. */
  end(): void;
}

/** The centre and the radius of a node on the screen, in pixels. */
interface ScreenCircle {
  readonly x: number;
  readonly y: number;
  readonly radius: number;
}

/** The area for one label in square pixels. */
const AREA_OF_LABEL = 16_000;
/** Labels are sought for so many nodes, the most followed first. */
const MAX_CANDIDATES = 400;
const MARGIN = 100;

/** @param locate returns where a node is on the screen */
export function createOverlay(box: HTMLElement, locate: (node: number) => ScreenCircle): NetworkOverlay {
  const canvas = document.createElement('canvas');
  canvas.className = 'network-overlay';
  canvas.setAttribute('aria-hidden', 'true');
  box.append(canvas);
  const context = canvas.getContext('2d')!;
  const widths = new Map<string, number>();
  const measure = (text: string): number =>
    widths.get(text) ?? widths.set(text, context.measureText(text).width).get(text)!;

  function listCandidates(nodes: Iterable<number>, { model }: PictureScene): LabelCandidate[] {
    const found: LabelCandidate[] = [];
    for (const node of nodes) {
      if (found.length >= MAX_CANDIDATES) break;
      const { x, y, radius } = locate(node);
      const isOutside =
        x < -MARGIN || y < -MARGIN || x > canvas.clientWidth + MARGIN || y > canvas.clientHeight + MARGIN;
      if (!isOutside) found.push({ node, text: model.data.nodes[node]!.label, x, y, radius });
    }
    return found;
  }

  let highlighted = -1;
  return {
    highlight: (node) => void (highlighted = node),
    draw(scene, palette) {
      const { width, height } = fitToBox(canvas, context);
      context.clearRect(0, 0, width, height);
      context.font = LABEL_FONT;
      const { nodes } = scene.model.data;
      const active = highlighted !== -1 && isNodeShown(scene, highlighted) ? highlighted : -1;
      const marked = listMarkedNodes(scene);
      let labelled: Iterable<number> = new Set([...marked, ...nodes.keys()].filter((node) => isNodeShown(scene, node)));
      if (active !== -1) {
        const neighbours = listNeighbours(scene, active);
        drawNeighbours(context, { scene, palette, active, neighbours, locate, width, height });
        labelled = [active, ...neighbours];
      } else for (const node of marked) drawRing(context, locate(node), palette.ink);
      const most = Math.max(6, Math.floor((width * height) / AREA_OF_LABEL));
      const labels = placeLabels(listCandidates(labelled, scene), { width, height, most, measure });
      Object.assign(context, { textBaseline: 'middle', lineJoin: 'round', lineWidth: 3.5 });
      context.strokeStyle = palette.panel;
      context.fillStyle = palette.ink;
      for (const { text, x, y } of labels) {
        context.strokeText(text, x, y);
        context.fillText(text, x, y);
      }
    },
    end: () => canvas.remove(),
  };
}

/** Sets the resolution of a canvas to that of the screen. Returns its size in pixels of the page. */
function fitToBox(canvas: HTMLCanvasElement, context: CanvasRenderingContext2D): { width: number; height: number } {
  const { clientWidth: width, clientHeight: height } = canvas;
  const [columns, rows] = [Math.round(width * devicePixelRatio), Math.round(height * devicePixelRatio)];
  if (canvas.width !== columns || canvas.height !== rows) Object.assign(canvas, { width: columns, height: rows });
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  return { width, height };
}

/** The nodes that are shown and connected to a node, the most followed first. */
function listNeighbours(scene: PictureScene, active: number): number[] {
  const { edges } = scene.model.order;
  const found: number[] = [];
  for (let i = 0; i < edges.length; i += 2) {
    const [a, b] = [edges[i]!, edges[i + 1]!];
    if (a === active) found.push(b);
    else if (b === active) found.push(a);
  }
  return found.filter((node) => isNodeShown(scene, node)).toSorted((a, b) => a - b);
}

interface NeighbourhoodDrawing {
  readonly scene: PictureScene;
  readonly palette: NetworkPalette;
  readonly active: number;
  readonly neighbours: readonly number[];
  readonly locate: (node: number) => ScreenCircle;
  readonly width: number;
  readonly height: number;
}

/** Covers the picture by a veil, and draws a node with its neighbours above it. */
function drawNeighbours(context: CanvasRenderingContext2D, drawing: NeighbourhoodDrawing): void {
  const { scene, palette, active, neighbours, locate, width, height } = drawing;
  context.globalAlpha = 0.85;
  context.fillStyle = palette.panel;
  context.fillRect(0, 0, width, height);
  const centre = locate(active);
  const colorOf = (node: number): string => palette.of(colorNameOf(scene, node));
  context.globalAlpha = neighbours.length > 200 ? 0.25 : 0.55;
  context.lineWidth = 1;
  for (const node of neighbours) {
    const { x, y } = locate(node);
    context.strokeStyle = colorOf(node);
    context.beginPath();
    context.moveTo(centre.x, centre.y);
    context.lineTo(x, y);
    context.stroke();
  }
  context.globalAlpha = 1;
  for (const node of [...neighbours, active]) {
    const { x, y, radius } = locate(node);
    context.fillStyle = colorOf(node);
    context.beginPath();
    context.arc(x, y, radius, 0, 2 * Math.PI);
    context.fill();
  }
  drawRing(context, centre, palette.ink);
}

function drawRing(context: CanvasRenderingContext2D, { x, y, radius }: ScreenCircle, color: string): void {
  context.strokeStyle = color;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius + 3, 0, 2 * Math.PI);
  context.stroke();
}
