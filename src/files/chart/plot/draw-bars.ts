import * as Plot from '@observablehq/plot';
import { type Axis, formatValue, planNumericAxis, TICK_FONT_SIZE } from '#files/chart/axis.ts';
import type { Picture } from '#files/chart/chart-layout.ts';
import { colorOf, seriesColor } from '#files/chart/chart-theme.ts';
import { type StackedPoint, stackPoints } from '#files/chart/data/stack-points.ts';
import { ellipsise, estimateWidth } from '#files/chart/label-width.ts';
import { describeMissingValue, keyOfFill, listGapKeys, patternOf, textureOf } from '#files/chart/legend.ts';
import { describePoint } from './draw-xy.ts';
import { createAxisMarks, createGridMarks, type PictureOptions, renderPicture } from './picture.ts';

const ROW_HEIGHT = 24;
const MARGIN_TOP = 4;
const MARGIN_BOTTOM = 26;
const NUMBER_TICK_WIDTH = 80;
const LABEL_GAP = 10;
/** The maximum share of the names. */
const MAX_SHARE_OF_NAMES = 0.38;
/** Half of the height of a bar, in rows. */
const HALF_BAR = 0.34;

/** Draws horizontal bars, the first row of the result on top, each with its value. */
export function drawBars({ set, width, id }: PictureOptions): Picture {
  const points = stackPoints(set);
  const names = set.categories.map((name) => ellipsise(name, width * MAX_SHARE_OF_NAMES, TICK_FONT_SIZE));
  const totals = listTotals(points, set.categories.length);
  const widest = (texts: readonly string[]): number =>
    Math.max(...texts.map((text) => estimateWidth(text, TICK_FONT_SIZE)));
  const marginLeft = widest(names) + LABEL_GAP;
  const marginRight = widest(totals.map(({ label }) => label)) + LABEL_GAP;
  const values = points.flatMap(({ low, high }) => (low === null || high === null ? [] : [low, high]));
  const x = planNumericAxis(
    values,
    true,
    (width - marginLeft - marginRight) / Math.max(NUMBER_TICK_WIDTH, 1.5 * marginRight),
  );
  const rows: Axis = {
    domain: [names.length - 0.5, -0.5],
    ticks: names.map((label, at) => ({ at, label })),
  };
  const filled = points.filter(({ high }) => high !== null);
  const partial = filled.filter(({ isPartial }) => isPartial);
  const marks = [
    createGridMarks(x, 'x'),
    ...set.series.flatMap((_, series) => {
      const bars = filled.filter((point) => point.series === series);
      const texture = textureOf(id, series);
      return [
        drawRects(bars, seriesColor(series), (point) => describePoint(set, point)),
        ...(texture === undefined ? [] : [drawRects(bars, texture)]),
      ];
    }),
    drawRects(partial, patternOf(id, 'partial')),
    Plot.ruleX([0], { stroke: colorOf('axis') }),
    ...drawTotals(totals),
    createAxisMarks(x, 'x'),
    createAxisMarks(rows, 'y', { tickSize: 0, color: 'ink' }),
  ];
  return renderPicture({
    width,
    plotHeight: names.length * ROW_HEIGHT,
    marginTop: MARGIN_TOP,
    marginRight,
    marginBottom: MARGIN_BOTTOM,
    marginLeft,
    x,
    y: rows,
    marks,
    keys: [
      ...(set.series.length > 1 ? set.series.map((label, series) => keyOfFill(id, series, label)) : []),
      ...listGapKeys(id, { partial, unobserved: [], empty: [] }, [colorOf('muted'), patternOf(id, 'partial')]),
    ],
  });
}

function drawRects(
  points: readonly StackedPoint[],
  fill: string,
  title?: (point: StackedPoint) => string,
): Plot.Markish | null {
  if (points.length === 0) return null;
  return Plot.rect(points, {
    x1: 'low',
    x2: 'high',
    y1: ({ x }: StackedPoint) => x - HALF_BAR,
    y2: ({ x }: StackedPoint) => x + HALF_BAR,
    fill,
    ...(title && { title }),
  });
}

interface Total {
  readonly row: number;
  /** Where the label is: the end of the bar. */
  readonly at: number;
  readonly label: string;
}

/** The sum of each bar: not known if a part of it is not. */
function listTotals(points: readonly StackedPoint[], rows: number): Total[] {
  return Array.from({ length: rows }, (_, row) => {
    const parts = points.filter(({ x }) => x === row);
    const isKnown = parts.every(({ y }) => y !== null);
    const sum = parts.reduce((total, { y }) => total + (y ?? 0), 0);
    return {
      row,
      at: Math.max(0, ...parts.map(({ high }) => high ?? 0)),
      label: isKnown ? formatValue(sum) : describeMissingValue({ isPartial: parts.some(({ isPartial }) => isPartial) }),
    };
  });
}

const drawTotals = (totals: readonly Total[]): Plot.Markish[] => [
  Plot.text(totals, {
    x: 'at',
    y: 'row',
    text: 'label',
    textAnchor: 'start',
    dx: 5,
    fill: colorOf('ink'),
    fontSize: TICK_FONT_SIZE,
  }),
];
