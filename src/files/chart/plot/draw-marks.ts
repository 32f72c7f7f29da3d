import * as Plot from '@observablehq/plot';
import type { Mark } from '../../../analysis/queries/chart-spec.ts';
import { formatValue } from '../axis.ts';
import { colorOf, seriesColor } from '../chart-theme.ts';
import { addPeriods } from '../data/periods.ts';
import { binOf, formatPlace, middleOf } from '../data/places.ts';
import type { Point, PointSet } from '../data/read-points.ts';
import type { StackedPoint } from '../data/stack-points.ts';
import { describeMissingValue } from '../legend.ts';
import { patternOf, textureOf } from '../patterns.ts';
import { DASHES, plotSymbol } from '../symbols.ts';

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
export const MARK_LAYERS: Readonly<
  Record<Exclude<Mark, 'bars' | 'heatmap'>, (options: MarkOptions) => Plot.Markish[]>
> = {
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
