import * as Plot from '@observablehq/plot';
import { planNumericAxis, TICK_FONT_SIZE } from '../axis.ts';
import { binOf } from '../data/places.ts';
import { type StackedPoint, stackPoints } from '../data/stack-points.ts';
import { type Key, NO_VALUE_LABEL, PARTIAL_LABEL, UNOBSERVED_LABEL } from '../legend.ts';
import { patternOf } from '../patterns.ts';
import { estimateWidth } from '../text-width.ts';
import { colorOf } from '../theme.ts';
import { MARK_LAYERS } from './draw-marks.ts';
import {
  createScale,
  createAxisMarks,
  createGridMarks,
  type Frame,
  type Picture,
  type PictureOptions,
  renderPlot,
} from './picture.ts';
import { planXAxis } from './x-axis.ts';

const TICK_HEIGHT = 44;
const TICK_GAP = 12;
const MARGIN_TOP = 8;
const MARGIN_RIGHT = 20;

/** Draws lines, areas, columns and points over times, numbers or categories. */
export function drawXy({ set, spec, width, id }: PictureOptions): Picture {
  const mark = spec.mark as keyof typeof MARK_LAYERS;
  const isFilled = mark === 'area' || mark === 'columns';
  const points = isFilled
    ? stackPoints(set, mark === 'area')
    : set.points.map((point) => ({ ...point, low: point.y, high: point.y }));
  const plotHeight = Math.round(Math.min(320, Math.max(220, width * 0.4)));
  const values = points.flatMap(({ low, high }) => (low === null || high === null ? [] : [low, high]));
  const y = planNumericAxis(values, isFilled, plotHeight / TICK_HEIGHT);
  const marginLeft = Math.max(...y.ticks.map(({ label }) => estimateWidth(label, TICK_FONT_SIZE))) + TICK_GAP;
  const x = planXAxis(set, spec, width - marginLeft - MARGIN_RIGHT);
  const marginBottom = x.labelHeight + TICK_GAP;
  const frame: Frame = {
    width,
    height: MARGIN_TOP + plotHeight + marginBottom,
    marginTop: MARGIN_TOP,
    marginRight: MARGIN_RIGHT,
    marginBottom,
    marginLeft,
  };
  const scaleX = createScale(x, marginLeft, width - MARGIN_RIGHT);
  const [start, end] = binOf(set, set.points[0]!.x);
  const hasBins = set.xKind === 'category' || set.period !== undefined || mark === 'columns';
  const bands = hasBins && mark !== 'points' ? findBands(points) : { partial: [], unobserved: [], empty: [] };
  const marks = [
    drawBands(bands.unobserved, set, colorOf('unobserved')),
    drawBands(bands.empty, set, patternOf(id, 'no-value')),
    isFilled ? null : drawBands(bands.partial, set, patternOf(id, 'stripes')),
    createGridMarks(y, 'y'),
    ...MARK_LAYERS[mark]({ set, points, id, binWidth: scaleX(end) - scaleX(start) }),
    mark === 'area' ? drawBands(bands.partial, set, patternOf(id, 'partial')) : null,
    Plot.ruleY([isFilled ? 0 : y.domain[0]], { stroke: colorOf('axis') }),
    createAxisMarks(x, 'x', { rotation: x.rotation, tickSize: set.xKind === 'category' ? 0 : 5 }),
    createAxisMarks(y, 'y', { tickSize: 0 }),
  ];
  const partialSample = isFilled ? 'partial-fill' : 'partial-band';
  const keys: Key[] = [
    ...(set.series.length > 1 ? listSeriesKeys(set.series, mark) : []),
    ...(bands.partial.length > 0 ? [{ sample: partialSample, label: PARTIAL_LABEL } as const] : []),
    ...(bands.unobserved.length > 0 ? [{ sample: 'unobserved', label: UNOBSERVED_LABEL } as const] : []),
    ...(bands.empty.length > 0 ? [{ sample: 'no-value', label: NO_VALUE_LABEL } as const] : []),
  ];
  return {
    height: frame.height,
    left: marginLeft,
    right: width - MARGIN_RIGHT,
    keys,
    children: renderPlot({
      frame,
      x,
      y,
      marks,
    }),
  };
}

const listSeriesKeys = (names: readonly string[], mark: keyof typeof MARK_LAYERS): Key[] => {
  const sample = mark === 'line' ? 'line' : mark === 'points' ? 'symbol' : 'fill';
  return names.map((label, series) => ({ sample, series, label }));
};

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
