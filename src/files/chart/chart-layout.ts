import { createHash } from 'node:crypto';
import { createElement, formatSvg, type SvgElement, type SvgNode } from './chart-svg.ts';
import { type ChartTheme, colorOf, FONT_FAMILY } from './chart-theme.ts';
import { ellipsise, wrapText } from './label-width.ts';
import { type Key, layOutLegend, definePatterns } from './legend.ts';

export interface DrawOptions {
  /** Pixels; 860 by default. */
  readonly width?: number | undefined;
  /** `file` by default. */
  readonly theme?: ChartTheme | undefined;
  /** The start of all ids, for pages with several charts; by default, a hash of what is drawn. */
  readonly id?: string | undefined;
}

/** The axes of a chart with all that is between them. */
export interface Picture {
  /** Pixels. */
  readonly height: number;
  /** The distance of the vertical axis from the left, in pixels. */
  readonly left: number;
  readonly right: number;
  readonly children: readonly SvgNode[];
  /** What a legend has to explain. */
  readonly keys: readonly Key[];
}

export interface ChartTexts {
  /** The title above the chart; undefined if it has none. */
  readonly title: string | undefined;
  readonly subtitle?: string | undefined;
  /** The label below the chart, and the one above its vertical axis; empty if there is none. */
  readonly below: string;
  readonly above: string;
  /** What the chart is, in a line, for people who do not see it. */
  readonly name: string;
  /** What it shows. */
  readonly description: string;
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

/** The digits that keep the ids of different charts of a page apart. */
const HASH_LENGTH = 10;

/** What a drawing is for. */
export interface Canvas {
  readonly id: string;
  readonly theme: ChartTheme;
  /** The width of the whole, and that of a picture, in pixels. */
  readonly width: number;
  readonly inner: number;
}

/** Returns the canvas of a drawing. @param data what is drawn, for its id */
export function createCanvas(
  { width: wanted = DEFAULT_WIDTH, theme = 'file', id }: DrawOptions,
  data: unknown,
): Canvas {
  const width = Math.max(MIN_WIDTH, wanted);
  const hash = (): string =>
    createHash('sha256')
      .update(JSON.stringify([data, width]))
      .digest('hex');
  return { width, inner: width - 2 * PADDING, theme, id: id ?? `chart-${hash().slice(0, HASH_LENGTH)}` };
}

/** Formats a picture with its texts and its legend as SVG. */
export function formatChart(picture: Picture, texts: ChartTexts, { id, width, inner, theme }: Canvas): string {
  const { height, children } = layOut(picture, texts, inner);
  return formatSvg({
    id,
    width,
    height,
    theme,
    title: texts.name,
    description: texts.description,
    attributes: { 'font-family': FONT_FAMILY, 'font-size': LABEL_FONT_SIZE },
    children: [...definePatterns(id, children), ...children],
  });
}

/** Puts title, legend, label of the vertical axis, picture and label of the horizontal axis below each other. */
function layOut(
  picture: Picture,
  { title, subtitle, below, above }: ChartTexts,
  inner: number,
): { height: number; children: SvgNode[] } {
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
  const legend = layOutLegend(picture.keys, inner);
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
