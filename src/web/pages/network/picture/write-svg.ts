import { escapeXml } from '../../../../text.ts';
import { PICTURE_RADIUS } from '../layout/layout-messages.ts';
import type { NetworkPalette } from './network-palette.ts';
import {
  chooseEdgeOpacity,
  colorNameOf,
  isNodeShown,
  listEdges,
  listMarkedNodes,
  type PictureScene,
} from './picture-scene.ts';
import { placeLabels } from './place-labels.ts';

/** What an SVG file says beside its picture. */
export interface SvgTexts {
  readonly title: string;
  /** Sentences: what is shown, and what is not. */
  readonly lines: readonly string[];
  /** Whether the legend and the texts are below the picture. */
  readonly hasLegend: boolean;
  /** The size of labels, relative to the usual one. */
  readonly labelScale?: number;
}

/** The space around the picture, for labels at its edge. */
const MARGIN = 60;
const SIZE = 2 * (PICTURE_RADIUS + MARGIN);
const LABELS = 60;
const FONT_SIZE = 13;
const LINE_HEIGHT = 22;
const COLUMNS = 3;

/**
 * Writes a picture as SVG, in the colours of the screen, with a title and a description for screen readers, and the names of
 * accounts as tooltips. @param measure returns the width of a label in pixels
 */
export function writeSvg(
  scene: PictureScene,
  palette: NetworkPalette,
  { title, lines, hasLegend, labelScale = 1 }: SvgTexts,
  measure: (text: string) => number,
): string {
  const legend = hasLegend ? scene.communities.list.filter(({ key }) => !scene.hidden.has(key)) : [];
  const texts = hasLegend ? [title, ...lines] : [];
  const legendRows = Math.ceil(legend.length / COLUMNS);
  const height = SIZE + LINE_HEIGHT * (legendRows + texts.length + (hasLegend ? 1 : 0));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE} ${height}" width="${SIZE}" height="${height}" role="img" aria-labelledby="title description" font-family="system-ui, 'Segoe UI', 'Noto Sans', sans-serif" font-size="${FONT_SIZE}" font-weight="500">`,
    `<title id="title">${escapeXml(title)}</title>`,
    `<desc id="description">${escapeXml(lines.join(' '))}</desc>`,
    `<rect width="100%" height="100%" fill="${palette.panel}"/>`,
    ...formatEdges(scene, palette),
    ...formatNodes(scene, palette),
    ...formatLabels(scene, palette, { labelScale, measure }),
    ...legend.map(({ title: text, color }, i) => {
      const [x, y] = [24 + (i % COLUMNS) * ((SIZE - 48) / COLUMNS), SIZE + LINE_HEIGHT * Math.floor(i / COLUMNS)];
      return `<circle cx="${x + 6}" cy="${y - 5}" r="6" fill="${palette.of(color)}"/><text x="${x + 20}" y="${y}" fill="${palette.ink}">${escapeXml(text)}</text>`;
    }),
    ...texts.map((text, i) => {
      const y = SIZE + LINE_HEIGHT * (legendRows + i) + LINE_HEIGHT / 2;
      return `<text x="24" y="${y}" fill="${i === 0 ? palette.ink : palette.muted}">${escapeXml(text)}</text>`;
    }),
    '</svg>',
  ].join('\n');
}

const toX = (scene: PictureScene, node: number): string => (scene.at[2 * node]! + SIZE / 2).toFixed(1);
/** The axis of the layout leads upwards. */
const toY = (scene: PictureScene, node: number): string => (SIZE / 2 - scene.at[2 * node + 1]!).toFixed(1);

/** A path for the edges that begin at a node and have the same colour: edges of one path do not add up where they cross. */
function* formatEdges(scene: PictureScene, palette: NetworkPalette): Generator<string> {
  const edges = listEdges(scene);
  const opacity = chooseEdgeOpacity(edges.length);
  const paths = new Map<string, { readonly color: string | undefined; lines: string }>();
  for (const { from, to, color } of edges) {
    if (!isNodeShown(scene, from) || !isNodeShown(scene, to)) continue;
    const key = `${color} ${from}`;
    const path = paths.get(key) ?? paths.set(key, { color, lines: '' }).get(key)!;
    path.lines += `M${toX(scene, from)} ${toY(scene, from)}L${toX(scene, to)} ${toY(scene, to)}`;
  }
  yield '<g fill="none" stroke-width="0.7">';
  for (const { color, lines } of paths.values()) {
    const shown = color === undefined ? opacity.between : opacity.within;
    yield `<path stroke="${color === undefined ? palette.edge : palette.of(color)}" stroke-opacity="${shown.toFixed(3)}" d="${lines}"/>`;
  }
  yield '</g>';
}

function* formatNodes(scene: PictureScene, palette: NetworkPalette): Generator<string> {
  const { nodes: accounts } = scene.model.data;
  const marked = new Set(listMarkedNodes(scene));
  for (const [node, { label }] of accounts.entries()) {
    if (!isNodeShown(scene, node)) continue;
    const [place, radius] = [`cx="${toX(scene, node)}" cy="${toY(scene, node)}"`, scene.radii[node]!];
    const color = palette.of(colorNameOf(scene, node));
    yield `<circle ${place} r="${radius.toFixed(1)}" fill="${color}"><title>${escapeXml(label)}</title></circle>`;
    if (marked.has(node))
      yield `<circle ${place} r="${(radius + 3).toFixed(1)}" fill="none" stroke-width="2" stroke="${palette.ink}"/>`;
  }
}

function formatLabels(
  scene: PictureScene,
  palette: NetworkPalette,
  { labelScale, measure }: { readonly labelScale: number; readonly measure: (text: string) => number },
): string[] {
  const { nodes: accounts } = scene.model.data;
  const nodes = new Set([...listMarkedNodes(scene), ...accounts.keys()]);
  const candidates = Array.from(nodes)
    .filter((node) => isNodeShown(scene, node))
    .map((node) => ({
      ...{ node, text: accounts[node]!.label, radius: scene.radii[node]! / labelScale },
      ...{ x: Number(toX(scene, node)) / labelScale, y: Number(toY(scene, node)) / labelScale },
    }));
  const side = SIZE / labelScale;
  const labels = placeLabels(candidates, { width: side, height: side, most: LABELS / labelScale, measure });
  const size = labelScale === 1 ? '' : ` font-size="${FONT_SIZE * labelScale}"`;
  const format = ({ text, x, y }: { text: string; x: number; y: number }, paint: string): string =>
    `<text x="${(x * labelScale).toFixed(1)}" y="${((y + 4.5) * labelScale).toFixed(1)}"${size} ${paint}>${escapeXml(text)}</text>`;
  // The halo is a text of its own: not all programs know `paint-order`.
  return labels.flatMap((label) => [
    format(label, `fill="none" stroke="${palette.panel}" stroke-width="4" stroke-linejoin="round" aria-hidden="true"`),
    format(label, `fill="${palette.ink}"`),
  ]);
}
