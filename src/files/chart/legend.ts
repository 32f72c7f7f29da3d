import { createElement, type SvgElement, type SvgNode } from './chart-svg.ts';
import { colorOf, seriesColor, type ColorName } from './chart-theme.ts';
import type { Point } from './data/read-points.ts';
import { ellipsise, estimateWidth } from './label-width.ts';

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

/** A tile that fills a shape: lines, on a ground or over what is below. It is as wide as high. */
interface Pattern {
  readonly size: number;
  readonly path: string;
  readonly width: number;
  readonly color: ColorName;
  readonly ground?: ColorName;
  readonly opacity?: number;
}

/** A texture of a series, which leaves most of its colour. */
const texture = (size: number, path: string, width: number): Pattern => ({
  size,
  path,
  width,
  color: 'background',
  opacity: 0.6,
});

/** Diagonal stripes. Drawn as lines, since renderers differ in how they turn a pattern. */
const stripes = (color: ColorName): Pattern => ({ size: 8, path: 'M-2,2L2,-2M0,8L8,0M6,10L10,6', width: 2.6, color });

const PATTERNS = {
  // The textures of the series after the first, which tell them apart without colour.
  'texture-1': texture(7, 'M0,3.5H7', 1),
  'texture-2': texture(7, 'M3.5,3.5h0.01', 2.4),
  'texture-3': texture(7, 'M3.5,0V7', 1),
  'texture-4': texture(8, 'M0,4H8M4,0V8', 1),
  'texture-5': texture(8, 'M0,5.5L4,2.5L8,5.5', 1.2),
  'texture-6': texture(10, 'M5,5h0.01', 4.5),
  'texture-7': texture(8, 'M0,2H8M0,4.5H8', 1),
  // Bins that were observed in part, or have no value.
  partial: stripes('background'),
  'partial-cell': stripes('axis'),
  stripes: stripes('stripes'),
  'no-value': { size: 6, path: 'M3,3h0.01', width: 1.8, color: 'stripes' },
  // The states of a coverage axis that are not complete.
  partly: { size: 6, path: 'M1.5,0V6M4.5,0V6', width: 1.5, color: 'complete', ground: 'background' },
  gap: { size: 6, path: 'M-1,1L1,-1M0,6L6,0M5,7L7,5', width: 1.4, color: 'gap', ground: 'unobserved' },
  searched: { size: 6, path: 'M0,1.5H6M0,4.5H6', width: 1, color: 'gap', ground: 'unobserved' },
  pruned: { size: 6, path: 'M1,1L5,5M5,1L1,5', width: 1, color: 'unknown', ground: 'background' },
  unknown: { size: 6, path: 'M3,2V4', width: 2, color: 'unknown', ground: 'unobserved' },
} as const satisfies Readonly<Record<string, Pattern>>;

export type PatternName = keyof typeof PATTERNS;

/** Returns the reference to a pattern of a picture, for the attribute `fill`. */
export const patternOf = (id: string, name: PatternName): string => `url(#${id}-${name})`;

/** Returns the texture of a series, if it has one: the first is plain. */
export const textureOf = (id: string, series: number): string | undefined =>
  series === 0 ? undefined : patternOf(id, `texture-${series}` as PatternName);

/** Returns the definitions of those patterns that elements refer to. */
export function definePatterns(id: string, nodes: readonly SvgNode[]): SvgElement[] {
  const used = (Object.keys(PATTERNS) as PatternName[]).filter((name) => refersTo(nodes, patternOf(id, name)));
  return used.length === 0
    ? []
    : [
        createElement(
          'defs',
          {},
          used.map((name) => createPattern(`${id}-${name}`, PATTERNS[name])),
        ),
      ];
}

/** Whether an element or one inside of it is filled with a pattern. */
const refersTo = (nodes: readonly SvgNode[], reference: string): boolean =>
  nodes.some(
    (node) => typeof node !== 'string' && (node.attributes['fill'] === reference || refersTo(node.children, reference)),
  );

const createPattern = (id: string, { size, path, width, color, ground, opacity }: Pattern): SvgElement =>
  createElement(
    'pattern',
    { id, width: size, height: size, patternUnits: 'userSpaceOnUse' },
    ground === undefined ? [] : createElement('rect', { width: size, height: size, fill: colorOf(ground) }),
    createElement('path', {
      d: path,
      fill: 'none',
      stroke: colorOf(color),
      'stroke-width': width,
      'stroke-linecap': 'round',
      'stroke-opacity': opacity,
    }),
  );

/** The outline of a symbol, in units of its radius. */
type Outline = readonly (readonly [x: number, y: number])[];

const polygon = (corners: number, turn: number, inner = 1): Outline =>
  Array.from({ length: corners }, (_, i) => {
    const angle = 2 * Math.PI * (turn + i / corners);
    const radius = i % 2 === 0 ? 1.25 : 1.25 * inner;
    return [radius * Math.cos(angle), radius * Math.sin(angle)] as const;
  });

/** The symbols of the series, which tell them apart without colour. */
const OUTLINES: readonly Outline[] = [
  polygon(24, 0),
  polygon(4, 1 / 8),
  polygon(3, -1 / 4),
  polygon(4, 0),
  polygon(3, 1 / 4),
  polygon(8, 0, 0.4),
  polygon(10, -1 / 4, 0.45),
  polygon(6, 0),
];

/** Returns the path of a symbol around the origin. @param radius in pixels */
const formatSymbol = (series: number, radius: number): string =>
  `M${OUTLINES[series]!.map(([x, y]) => `${(x * radius).toFixed(2)},${(y * radius).toFixed(2)}`).join('L')}Z`;

/** The dashes of the lines of the series, in pixels. */
export const DASHES: readonly (string | undefined)[] = [
  undefined,
  '7 3',
  '2 3',
  '9 3 2 3',
  '14 4',
  '5 2 2 2 2 2',
  '4 4',
  '1 5',
];

/** The symbol of a series for Plot, whose sizes are areas. */
export const plotSymbol = (series: number): { draw(context: PathContext, size: number): void } => ({
  draw(context, size) {
    const radius = Math.sqrt(size / Math.PI);
    for (const [i, [x, y]] of OUTLINES[series]!.entries()) {
      if (i === 0) context.moveTo(x * radius, y * radius);
      else context.lineTo(x * radius, y * radius);
    }
    context.closePath();
  },
});

interface PathContext {
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  closePath(): void;
}
