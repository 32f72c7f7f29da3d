import { createElement, type SvgElement } from './chart-svg.ts';
import { colorOf, seriesColor } from './chart-theme.ts';
import type { Point } from './data/read-points.ts';
import { ellipsise, estimateWidth } from './label-width.ts';
import { patternOf, textureOf } from './patterns.ts';
import { DASHES, formatSymbol } from './symbols.ts';

/** How a series, or a kind of bin, looks in the chart: its samples are on top of each other. */
export interface Key {
  readonly label: string;
  /** The fills of a box. */
  readonly fills?: readonly string[];
  /** The series whose line, or whose symbol, is shown. */
  readonly line?: number;
  readonly symbol?: number;
}

const PARTIAL_LABEL = 'not observed from start to end';
const UNOBSERVED_LABEL = 'not observed';
const NO_VALUE_LABEL = 'no value';

/** Returns why a place has no value. */
export const describeMissingValue = ({ isPartial }: Pick<Point, 'isPartial'>): string =>
  isPartial ? UNOBSERVED_LABEL : NO_VALUE_LABEL;

/** Returns the key of a filled series. */
export function keyOfFill(id: string, series: number, label: string): Key {
  const texture = textureOf(id, series);
  return { label, fills: [seriesColor(series), ...(texture === undefined ? [] : [texture])] };
}

/** Which bins of a chart were not, or only in part, observed. */
interface Gaps {
  readonly partial: readonly unknown[];
  readonly unobserved: readonly unknown[];
  readonly empty: readonly unknown[];
}

/** Returns the keys of those gaps that a chart has. @param partialFills how bins look that were observed in part */
export const listGapKeys = (
  id: string,
  { partial, unobserved, empty }: Gaps,
  partialFills: readonly string[],
): Key[] => [
  ...(partial.length > 0 ? [{ fills: partialFills, label: PARTIAL_LABEL }] : []),
  ...(unobserved.length > 0 ? [{ fills: [colorOf('unobserved')], label: UNOBSERVED_LABEL }] : []),
  ...(empty.length > 0 ? [{ fills: [patternOf(id, 'no-value')], label: NO_VALUE_LABEL }] : []),
];

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
export function layOutLegend(keys: readonly Key[], width: number): Block {
  let x = 0;
  let row = 0;
  const children = keys.map((key) => {
    const samples = drawSamples(key);
    const start = samples.length === 0 ? 0 : SAMPLE_WIDTH + SAMPLE_GAP;
    const label = ellipsise(key.label, width - start, FONT_SIZE);
    const keyWidth = start + estimateWidth(label, FONT_SIZE);
    if (x > 0 && x + keyWidth > width) {
      x = 0;
      row += 1;
    }
    const middle = row * ROW_HEIGHT + ROW_HEIGHT / 2;
    const element = createElement(
      'g',
      { transform: `translate(${x},${middle})`, 'text-anchor': 'start' },
      samples,
      createElement('text', { x: start, dy: '0.35em', fill: colorOf('ink'), 'font-size': FONT_SIZE }, label),
    );
    x += keyWidth + KEY_GAP;
    return element;
  });
  return { height: keys.length === 0 ? 0 : (row + 1) * ROW_HEIGHT, children };
}

const BOX = { x: 4, y: -7, width: SAMPLE_WIDTH - 8, height: 14, stroke: colorOf('grid') };

/** Draws what a key shows, around a middle of 0. */
const drawSamples = ({ fills = [], line, symbol = line }: Key): SvgElement[] => [
  ...fills.map((fill) => createElement('rect', { ...BOX, fill })),
  ...(line === undefined
    ? []
    : [
        createElement('line', {
          x2: SAMPLE_WIDTH,
          stroke: seriesColor(line),
          'stroke-width': 2,
          'stroke-dasharray': DASHES[line],
        }),
      ]),
  ...(symbol === undefined
    ? []
    : [
        createElement('path', {
          d: formatSymbol(symbol, 4),
          transform: `translate(${SAMPLE_WIDTH / 2},0)`,
          fill: seriesColor(symbol),
          stroke: colorOf('background'),
        }),
      ]),
];
