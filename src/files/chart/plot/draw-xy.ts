import * as Plot from '@observablehq/plot';
import type { Mark, ChartSpec } from '#analysis/queries/chart-spec.ts';
import { UsageError } from '#base/errors.ts';
import { formatCount } from '#base/text.ts';
import { planNumericAxis, TICK_FONT_SIZE, formatValue, type Axis, planTimeAxis } from '#files/chart/axis.ts';
import type { Picture } from '#files/chart/chart-layout.ts';
import { colorOf, seriesColor } from '#files/chart/chart-theme.ts';
import { addPeriods } from '#files/chart/data/periods.ts';
import { binOf, formatPlace, middleOf } from '#files/chart/data/places.ts';
import type { Point, PointSet } from '#files/chart/data/read-points.ts';
import { type StackedPoint, stackPoints } from '#files/chart/data/stack-points.ts';
import { estimateWidth, ellipsise } from '#files/chart/label-width.ts';
import {
  type Key,
  keyOfFill,
  listGapKeys,
  patternOf,
  describeMissingValue,
  textureOf,
  DASHES,
  plotSymbol,
} from '#files/chart/legend.ts';
import { createAxisMarks, createGridMarks, createScale, type PictureOptions, renderPicture } from './picture.ts';

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

interface MarkOptions {
  readonly set: PointSet;
  readonly points: readonly StackedPoint[];
  readonly id: string;
  /** The pixels of a bin. */
  readonly binWidth: number;
}

/** Series with more points have marks only where a line would not be seen. */
const MAX_MARKED_POINTS = 40;
const SYMBOL_RADIUS = 3.2;
/** Columns that are narrower touch each other. */
const MIN_SPACED_WIDTH = 4;
const MAX_COLUMN_WIDTH = 96;

/** Draws the values of a chart with a vertical axis of numbers. */
const MARK_LAYERS: Readonly<Record<Exclude<Mark, 'bars' | 'heatmap'>, (options: MarkOptions) => Plot.Markish[]>> = {
  line: (options) => forSeries(options, drawLine),
  columns: (options) => forSeries(options, drawColumns),
  points: (options) => forSeries(options, ({ points, series, set }) => [drawSymbols(points, series, set, 4)]),
};

interface SeriesOptions extends MarkOptions {
  readonly series: number;
}

const forSeries = (options: MarkOptions, draw: (options: SeriesOptions) => Plot.Markish[]): Plot.Markish[] =>
  options.set.series.flatMap((_, series) =>
    draw({ ...options, series, points: options.points.filter((point) => point.series === series) }),
  );

function drawLine({ set, points, series }: SeriesOptions): Plot.Markish[] {
  const runs = splitAtGaps(set, points);
  const isMarked = runs.flat().length <= MAX_MARKED_POINTS;
  const marked = isMarked ? points : runs.filter((run) => run.length === 1).flat();
  return [
    ...runs.map((run) =>
      Plot.line(run, {
        x: ({ x }: Point) => middleOf(set, x),
        y: 'y',
        z: null,
        stroke: seriesColor(series),
        strokeWidth: 2,
        strokeLinejoin: 'round',
        strokeDasharray: DASHES[series] ?? 'none',
      }),
    ),
    drawSymbols(marked, series, set, SYMBOL_RADIUS),
  ];
}

function drawColumns({ set, points, series, id, binWidth }: SeriesOptions): Plot.Markish[] {
  const filled = points.filter(({ high }) => high !== null);
  const space = set.xKind === 'time' ? (binWidth >= MIN_SPACED_WIDTH ? 0.5 : 0) : binWidth * 0.12;
  const inset = Math.max(space, (binWidth - MAX_COLUMN_WIDTH) / 2);
  const draw = (run: readonly StackedPoint[], fill: string, title?: (point: Point) => string): Plot.Markish =>
    Plot.rect(run, {
      x1: ({ x }: Point) => binOf(set, x)[0],
      x2: ({ x }: Point) => binOf(set, x)[1],
      y1: 'low',
      y2: 'high',
      insetLeft: inset,
      insetRight: inset,
      fill,
      ...(title && { title }),
    });
  const texture = textureOf(id, series);
  const partial = filled.filter(({ isPartial }) => isPartial);
  return [
    draw(filled, seriesColor(series), (point) => describePoint(set, point)),
    ...(texture === undefined ? [] : [draw(filled, texture)]),
    ...(partial.length === 0 ? [] : [draw(partial, patternOf(id, 'partial'))]),
  ];
}

const drawSymbols = (points: readonly Point[], series: number, set: PointSet, radius: number): Plot.Markish =>
  Plot.dot(
    points.filter(({ y }) => y !== null),
    {
      x: ({ x }: Point) => middleOf(set, x),
      y: 'y',
      r: radius,
      symbol: plotSymbol(series),
      fill: seriesColor(series),
      stroke: colorOf('background'),
      strokeWidth: 0.75,
      title: (point: Point) => describePoint(set, point),
    },
  );

/** What a browser shows while the pointer is over a value. */
export function describePoint(set: PointSet, { x, y, series, isPartial }: Point): string {
  const name = set.series[series]!;
  const parts = [...(name === '' ? [] : [name]), formatPlace(set, x)];
  const value = y === null ? describeMissingValue({ isPartial }) : `${formatValue(y)}${isPartial ? ' (in part)' : ''}`;
  return `${parts.join(', ')}: ${value}`;
}

/** Returns the parts of a series between its gaps: values of null, and bins that are missing. */
function splitAtGaps<T extends Point>({ period }: PointSet, points: readonly T[]): T[][] {
  const runs: T[][] = [];
  let end = -Infinity;
  for (const point of points) {
    if (point.y !== null) {
      const isNext = runs.length > 0 && point.x <= end;
      if (isNext) runs.at(-1)!.push(point);
      else runs.push([point]);
    }
    end = point.y === null ? -Infinity : period === undefined ? Infinity : addPeriods(point.x, period);
  }
  return runs;
}

export interface XAxis extends Axis {
  /** The angle of the labels in degrees. */
  readonly rotation: number;
  /** The height of the labels in pixels. */
  readonly labelHeight: number;
}

/** The widths of a tick of a time, and of the space between labels, in pixels. */
const TIME_TICK_WIDTH = 64;
const LABEL_GAP = 12;
const LINE_HEIGHT = TICK_FONT_SIZE + 2;
/** Names that do not fit beside each other are turned, and as long as this at most. */
const ROTATION = -40;
const MAX_NAME_WIDTH = 80;

/** Hours, ages and the like, of which a part tells the others. */
const ORDERED = /^[\d:.,+-]+$/;

/** Plans the horizontal axis of a chart of points, or of cells. @throws UsageError if there are more bins than pixels */
export function planXAxis(set: PointSet, { mark }: Pick<ChartSpec, 'mark'>, width: number): XAxis {
  const { xKind, points, period, categories } = set;
  if (xKind === 'category') return planCategoryAxis(categories, width);
  const [min, max] = [points[0]!.x, points.at(-1)!.x];
  const hasBins = mark === 'columns' || mark === 'heatmap';
  if (hasBins) checkBinCount(set, mark, width);
  if (xKind === 'time') {
    const axis = planTimeAxis({ min, max, period, tickCount: Math.max(2, Math.floor(width / TIME_TICK_WIDTH)) });
    return { ...axis, rotation: 0, labelHeight: 2 * LINE_HEIGHT };
  }
  const widest = Math.max(...[min, max].map((value) => estimateWidth(formatValue(value), TICK_FONT_SIZE)));
  const numbers = points.map(({ x }) => x);
  const axis = planNumericAxis(numbers, false, Math.floor(width / Math.max(40, 1.5 * (widest + LABEL_GAP))));
  if (!hasBins) return { ...axis, rotation: 0, labelHeight: LINE_HEIGHT };
  const ticks = axis.ticks.filter(({ at }) => at >= min && at <= max);
  return { domain: [binOf(set, min)[0], binOf(set, max)[1]], ticks, rotation: 0, labelHeight: LINE_HEIGHT };
}

/** Names that do not fit beside each other are turned and cut; of numbers, some are left out. */
function planCategoryAxis(names: readonly string[], width: number): XAxis {
  const band = width / names.length;
  const widest = Math.max(...names.map((name) => estimateWidth(name, TICK_FONT_SIZE)));
  const isOrdered = names.every((name) => ORDERED.test(name));
  const isFlat = isOrdered || Math.min(widest, MAX_NAME_WIDTH) + LABEL_GAP <= band;
  const step = Math.ceil((isOrdered ? widest + LABEL_GAP : isFlat ? 0.5 : LINE_HEIGHT) / band);
  const space = isFlat ? step * band - LABEL_GAP : MAX_NAME_WIDTH;
  return {
    domain: [-0.5, names.length - 0.5],
    ticks: names.flatMap((name, at) =>
      at % step === 0 ? [{ at, label: ellipsise(name, space, TICK_FONT_SIZE) }] : [],
    ),
    rotation: isFlat ? 0 : ROTATION,
    labelHeight: isFlat ? LINE_HEIGHT : TICK_FONT_SIZE + 0.65 * Math.min(widest, MAX_NAME_WIDTH),
  };
}

function checkBinCount(set: PointSet, mark: string, width: number): void {
  const [start, firstEnd] = binOf(set, set.points[0]!.x);
  const [, end] = binOf(set, set.points.at(-1)!.x);
  const count = Math.round((end - start) / (firstEnd - start));
  if (count <= width) return;
  throw new UsageError(`there are ${formatCount(count)} bins for ${Math.floor(width)} pixels`, {
    hint: `Choose a shorter time${mark === 'columns' ? ', draw a line' : ''} or group the rows by a longer period.`,
  });
}
