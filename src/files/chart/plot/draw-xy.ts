import * as Plot from '@observablehq/plot';
import { planNumericAxis, TICK_FONT_SIZE } from '../axis.ts';
import type { Picture } from '../chart-layout.ts';
import { colorOf } from '../chart-theme.ts';
import { binOf } from '../data/places.ts';
import { type StackedPoint, stackPoints } from '../data/stack-points.ts';
import { estimateWidth } from '../label-width.ts';
import { type Key, keyOfFill, listGapKeys } from '../legend.ts';
import { patternOf } from '../patterns.ts';
import { MARK_LAYERS } from './draw-marks.ts';
import { createAxisMarks, createGridMarks, createScale, type PictureOptions, renderPicture } from './picture.ts';
import { planXAxis } from './x-axis.ts';

const TICK_HEIGHT = 44;
const TICK_GAP = 12;
const MARGIN_TOP = 8;
const MARGIN_RIGHT = 20;

/** Draws lines, columns and points over times, numbers or categories. */
export function drawXy({ set, spec, width, id }: PictureOptions): Picture {
  const mark = spec.mark as keyof typeof MARK_LAYERS;
  const isFilled = mark === 'columns';
  const points = isFilled ? stackPoints(set) : set.points.map((point) => ({ ...point, low: point.y, high: point.y }));
  const plotHeight = Math.round(Math.min(320, Math.max(220, width * 0.4)));
  const values = points.flatMap(({ low, high }) => (low === null || high === null ? [] : [low, high]));
  const y = planNumericAxis(values, isFilled, plotHeight / TICK_HEIGHT);
  const marginLeft = Math.max(...y.ticks.map(({ label }) => estimateWidth(label, TICK_FONT_SIZE))) + TICK_GAP;
  const x = planXAxis(set, spec, width - marginLeft - MARGIN_RIGHT);
  const scaleX = createScale(x, marginLeft, width - MARGIN_RIGHT);
  const [start, end] = binOf(set, set.points[0]!.x);
  const hasBins = set.xKind === 'category' || set.period !== undefined || isFilled;
  const bands = hasBins && mark !== 'points' ? findBands(points) : { partial: [], unobserved: [], empty: [] };
  const marks = [
    drawBands(bands.unobserved, set, colorOf('unobserved')),
    drawBands(bands.empty, set, patternOf(id, 'no-value')),
    isFilled ? null : drawBands(bands.partial, set, patternOf(id, 'stripes')),
    createGridMarks(y, 'y'),
    ...MARK_LAYERS[mark]({ set, points, id, binWidth: scaleX(end) - scaleX(start) }),
    Plot.ruleY([isFilled ? 0 : y.domain[0]], { stroke: colorOf('axis') }),
    createAxisMarks(x, 'x', { rotation: x.rotation, tickSize: set.xKind === 'category' ? 0 : 5 }),
    createAxisMarks(y, 'y', { tickSize: 0 }),
  ];
  const partialFills = isFilled ? [colorOf('muted'), patternOf(id, 'partial')] : [patternOf(id, 'stripes')];
  return renderPicture({
    width,
    plotHeight,
    marginTop: MARGIN_TOP,
    marginRight: MARGIN_RIGHT,
    marginBottom: x.labelHeight + TICK_GAP,
    marginLeft,
    x,
    y,
    marks,
    keys: [
      ...(set.series.length > 1 ? set.series.map((label, series) => keyOfSeries(id, mark, series, label)) : []),
      ...listGapKeys(id, bands, partialFills),
    ],
  });
}

function keyOfSeries(id: string, mark: keyof typeof MARK_LAYERS, series: number, label: string): Key {
  if (mark === 'line') return { label, line: series };
  return mark === 'points' ? { label, symbol: series } : keyOfFill(id, series, label);
}

interface Bands {
  /** The places of bins that were observed in part. */
  readonly partial: readonly number[];
  /** Those that were not observed, and the others without a value in any series. */
  readonly unobserved: readonly number[];
  readonly empty: readonly number[];
}

function findBands(points: readonly StackedPoint[]): Bands {
  const observed = new Set(points.filter(({ high }) => high !== null).map(({ x }) => x));
  const places = [...new Set(points.map(({ x }) => x))];
  const partial = new Set(points.filter(({ isPartial }) => isPartial).map(({ x }) => x));
  const gaps = places.filter((x) => !observed.has(x));
  return {
    partial: places.filter((x) => observed.has(x) && partial.has(x)),
    unobserved: gaps.filter((x) => partial.has(x)),
    empty: gaps.filter((x) => !partial.has(x)),
  };
}

/** Draws bins over the whole height. */
function drawBands(places: readonly number[], set: PictureOptions['set'], fill: string): Plot.Markish | null {
  const bands: [start: number, end: number][] = [];
  for (const [start, end] of places.map((x) => binOf(set, x))) {
    const before = bands.at(-1);
    // Bands side by side would show the edges between them.
    if (before?.[1] === start) before[1] = end;
    else bands.push([start, end]);
  }
  return bands.length === 0 ? null : Plot.rect(bands, { x1: '0', x2: '1', fill });
}
