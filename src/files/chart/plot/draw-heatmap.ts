import * as Plot from '@observablehq/plot';
import { type Axis, formatValue, planNumericAxis, TICK_FONT_SIZE } from '#files/chart/axis.ts';
import type { Picture } from '#files/chart/chart-layout.ts';
import { colorOf, type ColorName, SHADE_COUNT } from '#files/chart/chart-theme.ts';
import { binOf, middleOf } from '#files/chart/data/places.ts';
import type { Point, PointSet } from '#files/chart/data/read-points.ts';
import { ellipsise, estimateWidth } from '#files/chart/label-width.ts';
import { listGapKeys, patternOf } from '#files/chart/legend.ts';
import { describePoint, planXAxis } from './draw-xy.ts';
import { createAxisMarks, createScale, type PictureOptions, renderPicture } from './picture.ts';

const ROW_HEIGHT = 24;
const MARGIN_TOP = 4;
const MARGIN_RIGHT = 20;
const LABEL_GAP = 10;
const MAX_SHARE_OF_NAMES = 0.3;
const VALUE_FONT_SIZE = 11;
const VALUE_GAP = 6;

/** Cells with the values of a class have the same shade. */
interface ValueClass {
  readonly from: number;
  readonly to: number;
  readonly shade: number;
  readonly label: string;
}

/** Draws a cell per place and series, with shades for classes of values, and the values themselves where they fit. */
export function drawHeatmap({ set, spec, width, id, valueLabel }: PictureOptions): Picture {
  const names = set.series.map((name) => ellipsise(name, width * MAX_SHARE_OF_NAMES, TICK_FONT_SIZE));
  const marginLeft = Math.max(...names.map((name) => estimateWidth(name, TICK_FONT_SIZE))) + LABEL_GAP;
  const x = planXAxis(set, spec, width - marginLeft - MARGIN_RIGHT);
  const y: Axis = { domain: [names.length - 0.5, -0.5], ticks: names.map((label, at) => ({ at, label })) };
  const scaleX = createScale(x, marginLeft, width - MARGIN_RIGHT);
  const [start, end] = binOf(set, set.points[0]!.x);
  const cellWidth = scaleX(end) - scaleX(start);
  const cells = set.points.filter(({ y: value }) => value !== null);
  const gaps = set.points.filter(({ y: value }) => value === null);
  const unobserved = gaps.filter(({ isPartial }) => isPartial);
  const empty = gaps.filter(({ isPartial }) => !isPartial);
  const partial = cells.filter(({ isPartial }) => isPartial);
  const classes = planClasses(cells.map(({ y: value }) => value!));
  const shaded = classes.map((each) => ({
    ...each,
    cells: cells.filter(({ y: value }) => isIn(each, value!, classes)),
  }));
  const hasTexts = cells.every(
    ({ y: value }) => estimateWidth(formatValue(value!), VALUE_FONT_SIZE) + VALUE_GAP <= cellWidth,
  );
  const draw = (points: readonly Point[], fill: string, hasTitle = true): Plot.Markish | null =>
    drawCells(points, { set, fill, hasTitle, inset: cellWidth > 6 ? 0.5 : 0 });
  const marks = [
    draw(unobserved, colorOf('unobserved')),
    draw(empty, patternOf(id, 'no-value')),
    ...shaded.map(({ cells: points, shade }) => draw(points, shadeColor(shade))),
    draw(partial, patternOf(id, 'partial-cell'), false),
    ...(hasTexts ? shaded : []).map(({ cells: points, shade }) => drawValues(points, set, shade)),
    createAxisMarks(x, 'x', { rotation: x.rotation, tickSize: set.xKind === 'time' ? 5 : 0 }),
    createAxisMarks(y, 'y', { tickSize: 0, color: 'ink' }),
  ];
  return renderPicture({
    width,
    plotHeight: names.length * ROW_HEIGHT,
    marginTop: MARGIN_TOP,
    marginRight: MARGIN_RIGHT,
    marginBottom: x.labelHeight + LABEL_GAP,
    marginLeft,
    x,
    y,
    marks,
    keys: [
      { label: valueLabel },
      ...classes.map(({ shade, label }) => ({ fills: [shadeColor(shade)], label })),
      ...listGapKeys(id, { partial, unobserved, empty }, [patternOf(id, 'partial-cell')]),
    ],
  });
}

interface CellOptions {
  readonly set: PointSet;
  readonly fill: string;
  readonly hasTitle: boolean;
  /** The space around a cell, in pixels. */
  readonly inset: number;
}

function drawCells(points: readonly Point[], { set, fill, hasTitle, inset }: CellOptions): Plot.Markish | null {
  if (points.length === 0) return null;
  return Plot.rect(points, {
    x1: (point: Point) => binOf(set, point.x)[0],
    x2: (point: Point) => binOf(set, point.x)[1],
    y1: (point: Point) => point.series - 0.5,
    y2: (point: Point) => point.series + 0.5,
    fill,
    inset,
    ...(hasTitle && { title: (point: Point) => describePoint(set, point) }),
  });
}

const drawValues = (points: readonly Point[], set: PointSet, shade: number): Plot.Markish =>
  Plot.text(points, {
    x: (point: Point) => middleOf(set, point.x),
    y: 'series',
    text: (point: Point) => formatValue(point.y!),
    fontSize: VALUE_FONT_SIZE,
    fill: colorOf(`shade-text-${shade + 1}` as ColorName),
  });

/** Whether a value is of a class: of the last one that begins at it or below. */
const isIn = (one: ValueClass, value: number, classes: readonly ValueClass[]): boolean =>
  classes.findLast(({ from }) => value >= from) === one;

/** Returns the colour of a shade, from 0 to 6. */
const shadeColor = (shade: number): string => colorOf(`shade-${shade + 1}` as ColorName);

/** Returns the shade of a class of values, when there are `classes` of them. */
const shadeOf = (index: number, classes: number): number =>
  classes === 1 ? SHADE_COUNT - 2 : Math.round((index * (SHADE_COUNT - 1)) / (classes - 1));

/** Divides the range of the values into classes between round numbers. */
function planClasses(values: readonly number[]): ValueClass[] {
  const isInteger = values.every((value) => Number.isSafeInteger(value));
  const [min, max] = [Math.min(...values), Math.max(...values)];
  if (min === max) return [{ from: min, to: max, shade: shadeOf(0, 1), label: formatValue(min) }];
  const { ticks } = planNumericAxis(values, false, SHADE_COUNT - 3);
  // An integer on the last tick alone would be a class of its own.
  return ticks.slice(0, -1).map(({ at, label }, i) => {
    const next = ticks[i + 1]!;
    const isLast = i === ticks.length - 2;
    const to = isInteger && !isLast ? next.at - 1 : next.at;
    const range = to === at ? label : isInteger ? `${label}–${formatValue(to)}` : `${label} to ${next.label}`;
    return { from: at, to: next.at, shade: shadeOf(i, ticks.length - 1), label: range };
  });
}
