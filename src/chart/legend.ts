import type { Point } from './data/read-points.ts';
import { patternOf, textureOf } from './patterns.ts';
import { createElement, type SvgElement } from './svg.ts';
import { DASHES, formatSymbol } from './symbols.ts';
import { ellipsise, estimateWidth } from './text-width.ts';
import { colorOf, seriesColor, SHADE_COUNT, type ColorName } from './theme.ts';

/** How a series, or a kind of bin, looks in the chart. */
export type Key =
  | { readonly sample: 'line' | 'fill' | 'symbol'; readonly series: number; readonly label: string }
  | {
      readonly sample: 'partial-fill' | 'partial-cell' | 'partial-band' | 'unobserved' | 'no-value';
      readonly label: string;
    }
  | { readonly sample: 'none'; readonly label: string }
  | { readonly sample: 'shade'; readonly shade: number; readonly label: string };

export const PARTIAL_LABEL = 'not observed from start to end';
export const UNOBSERVED_LABEL = 'not observed';
export const NO_VALUE_LABEL = 'no value';

/** Returns why a place has no value. */
export const describeMissingValue = ({ isPartial }: Pick<Point, 'isPartial'>): string =>
  isPartial ? UNOBSERVED_LABEL : NO_VALUE_LABEL;

const FONT_SIZE = 12;
const SAMPLE_WIDTH = 24;
const SAMPLE_GAP = 6;
const KEY_GAP = 18;
const ROW_HEIGHT = 20;

interface Block {
  readonly height: number;
  readonly children: readonly SvgElement[];
}

/** Lays the keys of a chart out in rows. Positions are relative to the top left corner. */
export function layOutLegend(keys: readonly Key[], width: number, id: string): Block {
  let x = 0;
  let row = 0;
  const children = keys.map((key) => {
    const start = textStart(key);
    const label = ellipsise(key.label, width - start, FONT_SIZE);
    const keyWidth = start + estimateWidth(label, FONT_SIZE);
    if (x > 0 && x + keyWidth > width) {
      x = 0;
      row += 1;
    }
    const element = drawKey(key, label, x, row * ROW_HEIGHT + ROW_HEIGHT / 2, id);
    x += keyWidth + KEY_GAP;
    return element;
  });
  return { height: keys.length === 0 ? 0 : (row + 1) * ROW_HEIGHT, children };
}

const textStart = ({ sample }: Key): number => (sample === 'none' ? 0 : SAMPLE_WIDTH + SAMPLE_GAP);

/** Draws a key whose middle is at `y`. */
const drawKey = (key: Key, label: string, x: number, y: number, id: string): SvgElement =>
  createElement(
    'g',
    { transform: `translate(${x},${y})`, 'text-anchor': 'start' },
    drawSample(key, id),
    createElement('text', { x: textStart(key), dy: '0.35em', fill: colorOf('ink'), 'font-size': FONT_SIZE }, label),
  );

const BOX = { x: 4, y: -7, width: SAMPLE_WIDTH - 8, height: 14 };

function drawSample(key: Key, id: string): SvgElement[] {
  const box = (fill: string): SvgElement => createElement('rect', { ...BOX, fill });
  switch (key.sample) {
    case 'line': {
      const color = seriesColor(key.series);
      const line = { x2: SAMPLE_WIDTH, stroke: color, 'stroke-width': 2, 'stroke-dasharray': DASHES[key.series] };
      return [createElement('line', line), ...drawSymbol(key.series)];
    }
    case 'symbol':
      return drawSymbol(key.series);
    case 'fill': {
      const texture = textureOf(id, key.series);
      return [box(seriesColor(key.series)), ...(texture === undefined ? [] : [box(texture)])];
    }
    case 'partial-fill':
      return [box(colorOf('muted')), box(patternOf(id, 'partial'))];
    case 'partial-cell':
      return [box(patternOf(id, 'partial-cell'))];
    case 'partial-band':
      return [box(patternOf(id, 'stripes'))];
    case 'unobserved':
      return [createElement('rect', { ...BOX, fill: colorOf('unobserved'), stroke: colorOf('grid') })];
    case 'no-value':
      return [box(patternOf(id, 'no-value'))];
    case 'shade':
      return [box(shadeColor(key.shade))];
    case 'none':
      return [];
  }
}

const drawSymbol = (series: number): SvgElement[] => [
  createElement('path', {
    d: formatSymbol(series, 4),
    transform: `translate(${SAMPLE_WIDTH / 2},0)`,
    fill: seriesColor(series),
    stroke: colorOf('background'),
  }),
];

/** Returns the colour of a shade, from 0 to 6. */
export const shadeColor = (shade: number): string => colorOf(`shade-${shade + 1}` as ColorName);

/** Returns the shade of a class of values, when there are `classes` of them. */
export const shadeOf = (index: number, classes: number): number =>
  classes === 1 ? SHADE_COUNT - 2 : Math.round((index * (SHADE_COUNT - 1)) / (classes - 1));
