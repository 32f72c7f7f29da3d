import { createElement, type SvgElement } from './svg.ts';
import { colorOf } from './theme.ts';

/** What is drawn over a filled shape: a texture of a series, or the hatching of a bin that was observed in part. */
export type PatternName = `texture-${number}` | 'partial' | 'partial-cell' | 'no-value' | 'stripes';

/** Returns the reference to a pattern of a picture, for the attribute `fill`. */
export const patternOf = (id: string, name: PatternName): string => `url(#${id}-${name})`;

/** The textures of the series after the first, which tell them apart without colour. They are as wide as high. */
const TEXTURES: readonly { readonly size: number; readonly path: string; readonly width: number }[] = [
  { size: 7, path: 'M0,3.5H7', width: 1 },
  { size: 7, path: 'M3.5,3.5h0.01', width: 2.4 },
  { size: 7, path: 'M3.5,0V7', width: 1 },
  { size: 8, path: 'M0,4H8M4,0V8', width: 1 },
  { size: 8, path: 'M0,5.5L4,2.5L8,5.5', width: 1.2 },
  { size: 10, path: 'M5,5h0.01', width: 4.5 },
  { size: 8, path: 'M0,2H8M0,4.5H8', width: 1 },
];

/** A texture leaves most of the colour. */
const SUBTLE = { 'stroke-opacity': 0.6 };

/** Returns the texture of a series, if it has one: the first is plain. */
export const textureOf = (id: string, series: number): string | undefined =>
  series === 0 ? undefined : patternOf(id, `texture-${series}`);

/** Returns the definitions of those patterns that a picture refers to. */
export function definePatterns(id: string, isUsed: (reference: string) => boolean): SvgElement[] {
  const patterns: readonly (readonly [PatternName, SvgElement])[] = [
    ...TEXTURES.map(({ size, path, width }, i) => {
      const name: PatternName = `texture-${i + 1}`;
      const stroke = { stroke: colorOf('background'), 'stroke-width': width, 'stroke-linecap': 'round', ...SUBTLE };
      return [
        name,
        createPattern(id, name, size, createElement('path', { d: path, fill: 'none', ...stroke })),
      ] as const;
    }),
    ['partial', createStripes(id, 'partial', colorOf('background'))],
    ['partial-cell', createStripes(id, 'partial-cell', colorOf('axis'))],
    ['no-value', createDots(id, 'no-value', colorOf('stripes'))],
    ['stripes', createStripes(id, 'stripes', colorOf('stripes'))],
  ];
  const used = patterns.filter(([name]) => isUsed(patternOf(id, name))).map(([, pattern]) => pattern);
  return used.length === 0 ? [] : [createElement('defs', {}, used)];
}

const createPattern = (id: string, name: PatternName, size: number, content: SvgElement): SvgElement =>
  createElement('pattern', { id: `${id}-${name}`, width: size, height: size, patternUnits: 'userSpaceOnUse' }, content);

/** Diagonal stripes. Drawn as lines, since renderers differ in how they turn a pattern. */
const createStripes = (id: string, name: PatternName, color: string): SvgElement =>
  createPattern(
    ...([id, name, 8] as const),
    createElement('path', { d: 'M-2,2L2,-2M0,8L8,0M6,10L10,6', fill: 'none', stroke: color, 'stroke-width': 2.6 }),
  );

const createDots = (id: string, name: PatternName, color: string): SvgElement =>
  createPattern(
    ...([id, name, 6] as const),
    createElement('path', {
      d: 'M3,3h0.01',
      fill: 'none',
      stroke: color,
      'stroke-width': 1.8,
      'stroke-linecap': 'round',
    }),
  );
