import { createHash } from 'node:crypto';
import type { ChartData, ChartSpec } from './chart-spec.ts';
import { type PointSet, readPoints } from './data/read-points.ts';
import { type ChartTexts, describeChart } from './describe-chart.ts';
import { layOutLegend } from './legend.ts';
import { definePatterns } from './patterns.ts';
import type { Picture } from './plot/picture.ts';
import { createElement, formatSvg, type SvgElement, type SvgNode } from './svg.ts';
import { ellipsise, wrapText } from './text-width.ts';
import { type ChartTheme, colorOf, FONT_FAMILY } from './theme.ts';

export interface DrawOptions {
  /** Pixels; 860 by default. */
  readonly width?: number | undefined;
  /** `file` by default. */
  readonly theme?: ChartTheme | undefined;
  /** The start of all ids, for pages with several charts; by default, a hash of what is drawn. */
  readonly id?: string | undefined;
}

const DEFAULT_WIDTH = 860;
const MIN_WIDTH = 240;
const PADDING = 16;
const TITLE_FONT_SIZE = 16;
const TITLE_HEIGHT = 22;
/** Letters of a title are bold: up to an eighth wider than estimated. */
const BOLD_WIDTH = 1.12;
const MAX_TITLE_LINES = 3;
const MAX_SUBTITLE_LINES = 2;
const LABEL_FONT_SIZE = 12;
const LABEL_HEIGHT = 20;
const GAP = 4;

/**
 * Draws a chart as SVG, the same for the same data. Observable Plot is loaded at the first call.
 * @throws UsageError if the data does not fit the chart, TrawlError if there is nothing to draw
 */
export async function drawChart(data: ChartData, spec: ChartSpec, options: DrawOptions = {}): Promise<string> {
  const { theme = 'file' } = options;
  const width = Math.max(MIN_WIDTH, options.width ?? DEFAULT_WIDTH);
  const set = readPoints(data, spec);
  const texts = describeChart(set, spec);
  const id = options.id ?? createId(set, spec, width);
  const { drawPicture } = await import('./plot/draw-picture.ts');
  const picture = drawPicture({ set, spec, width: width - 2 * PADDING, id, valueLabel: texts.valueLabel });
  const { height, children } = layOut(picture, texts, width, id);
  return formatSvg({
    id,
    width,
    height,
    theme,
    title: texts.name,
    description: texts.description,
    attributes: {
      'font-family': FONT_FAMILY,
      'font-size': LABEL_FONT_SIZE,
    },
    children: [...definePatterns(id, (reference) => refersTo(children, reference)), ...children],
  });
}

/** The digits that keep the ids of different charts of a page apart. */
const HASH_LENGTH = 10;

const createId = (set: PointSet, spec: ChartSpec, width: number): string =>
  `chart-${createHash('sha256')
    .update(JSON.stringify([set, spec, width]))
    .digest('hex')
    .slice(0, HASH_LENGTH)}`;

/** Puts title, legend, label of the vertical axis, picture and label of the horizontal axis below each other. */
function layOut(
  picture: Picture,
  { title, subtitle, below, above }: ChartTexts,
  width: number,
  id: string,
): { height: number; children: SvgNode[] } {
  const inner = width - 2 * PADDING;
  const children: SvgNode[] = [];
  let y = PADDING;
  const put = (height: number, draw: (y: number) => SvgNode | readonly SvgNode[]): void => {
    children.push(...[draw(y)].flat());
    y += height;
  };
  const lines = title === undefined ? [] : wrapText(title, inner / BOLD_WIDTH, TITLE_FONT_SIZE, MAX_TITLE_LINES);
  if (lines.length > 0) put(lines.length * TITLE_HEIGHT + GAP, (top) => drawTitle(lines, top));
  const details = subtitle === undefined ? [] : wrapText(subtitle, inner, LABEL_FONT_SIZE, MAX_SUBTITLE_LINES);
  if (details.length > 0) put(details.length * LABEL_HEIGHT + GAP, (top) => drawSubtitle(details, top));
  const legend = layOutLegend(picture.keys, inner, id);
  if (legend.height > 0) put(legend.height + GAP, (top) => move(PADDING, top, legend.children));
  const label = (text: string, attributes: SvgElement['attributes']): SvgElement =>
    createElement('text', { fill: colorOf('muted'), ...attributes }, ellipsise(text, inner, LABEL_FONT_SIZE));
  if (above !== '') put(LABEL_HEIGHT, (top) => label(above, { x: PADDING, y: top + LABEL_FONT_SIZE }));
  put(picture.height, (top) => move(PADDING, top, picture.children, { 'text-anchor': 'middle' }));
  if (below !== '') {
    const middle = PADDING + (picture.left + picture.right) / 2;
    put(LABEL_HEIGHT, (top) => label(below, { x: middle, y: top + LABEL_FONT_SIZE, 'text-anchor': 'middle' }));
  }
  return { height: Math.ceil(y + PADDING / 2), children };
}

/** The lines are one text, so that all have the direction of the first. */
const drawLines = (lines: readonly string[], first: number, step: number, font: SvgElement['attributes']): SvgElement =>
  createElement(
    'text',
    font,
    lines.map((line, i) => createElement('tspan', { x: PADDING, y: first + i * step }, line)),
  );

const drawTitle = (lines: readonly string[], top: number): SvgElement =>
  drawLines(lines, top + TITLE_FONT_SIZE, TITLE_HEIGHT, {
    'font-size': TITLE_FONT_SIZE,
    'font-weight': 600,
    fill: colorOf('ink'),
  });

const drawSubtitle = (lines: readonly string[], top: number): SvgElement =>
  drawLines(lines, top + LABEL_FONT_SIZE, LABEL_HEIGHT, { fill: colorOf('muted') });

const move = (
  x: number,
  y: number,
  children: readonly SvgNode[],
  attributes: SvgElement['attributes'] = {},
): SvgElement => createElement('g', { transform: `translate(${x},${y})`, ...attributes }, children);

/** Whether an element or one inside of it is filled with a pattern. */
const refersTo = (nodes: readonly SvgNode[], reference: string): boolean =>
  nodes.some(
    (node) => typeof node !== 'string' && (node.attributes['fill'] === reference || refersTo(node.children, reference)),
  );
