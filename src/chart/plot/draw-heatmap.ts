import * as Plot from '@observablehq/plot';
import { type Axis, formatValue, planNumericAxis, TICK_FONT_SIZE } from '../axis.ts';
import { binOf, middleOf } from '../data/places.ts';
import type { Point } from '../data/read-points.ts';
import { type Key, NO_VALUE_LABEL, PARTIAL_LABEL, shadeColor, shadeOf, UNOBSERVED_LABEL } from '../legend.ts';
import { patternOf } from '../patterns.ts';
import { ellipsise, estimateWidth } from '../text-width.ts';
import { colorOf, type ColorName, SHADE_COUNT } from '../theme.ts';
import { describePoint } from './draw-marks.ts';
import { createScale, createAxisMarks, type Frame, type Picture, type PictureOptions, renderPlot } from './picture.ts';
import { planXAxis } from './x-axis.ts';

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
  const marginBottom = x.labelHeight + LABEL_GAP;
  const frame: Frame = {
    width,
    height: MARGIN_TOP + names.length * ROW_HEIGHT + marginBottom,
    marginTop: MARGIN_TOP,
    marginRight: MARGIN_RIGHT,
    marginBottom,
    marginLeft,
  };
  const values = set.points.flatMap(({ y: value }) => (value === null ? [] : [value]));
  const classes = planClasses(values);
  const classOf = (value: number): ValueClass => classes.findLast(({ from }) => value >= from)!;
  const membersOf = (each: ValueClass): Point[] =>
    set.points.filter(({ y: value }) => value !== null && classOf(value) === each);
  const cells = set.points.filter(({ y: value }) => value !== null);
  const gaps = set.points.filter(({ y: value }) => value === null);
  const unobserved = gaps.filter(({ isPartial }) => isPartial);
  const empty = gaps.filter(({ isPartial }) => !isPartial);
  const partial = cells.filter(({ isPartial }) => isPartial);
  const scaleX = createScale(x, marginLeft, width - MARGIN_RIGHT);
  const [start, end] = binOf(set, set.points[0]!.x);
  const cellWidth = scaleX(end) - scaleX(start);
  const hasTexts = cells.every(
    ({ y: value }) => estimateWidth(formatValue(value!), VALUE_FONT_SIZE) + VALUE_GAP <= cellWidth,
  );
  const inset = cellWidth > 6 ? 0.5 : 0;
  const drawCells = (points: readonly Point[], fill: string, hasTitle = true): Plot.Markish | null => {
    if (points.length === 0) return null;
    const title = hasTitle && { title: (point: Point) => describePoint(set, point) };
    return Plot.rect(points, {
      x1: (point: Point) => binOf(set, point.x)[0],
      x2: (point: Point) => binOf(set, point.x)[1],
      y1: (point: Point) => point.series - 0.5,
      y2: (point: Point) => point.series + 0.5,
      fill,
      inset,
      ...title,
    });
  };
  const marks = [
    drawCells(unobserved, colorOf('unobserved')),
    drawCells(empty, patternOf(id, 'no-value')),
    ...classes.map((each) => drawCells(membersOf(each), shadeColor(each.shade))),
    drawCells(partial, patternOf(id, 'partial-cell'), false),
    ...(hasTexts ? classes : []).map((each) =>
      Plot.text(membersOf(each), {
        x: (point: Point) => middleOf(set, point.x),
        y: 'series',
        text: (point: Point) => formatValue(point.y!),
        fontSize: VALUE_FONT_SIZE,
        fill: colorOf(`shade-text-${each.shade + 1}` as ColorName),
      }),
    ),
    createAxisMarks(x, 'x', { rotation: x.rotation, tickSize: set.xKind === 'time' ? 5 : 0 }),
    createAxisMarks(y, 'y', { tickSize: 0, color: 'ink' }),
  ];
  const keys: Key[] = [
    { sample: 'none', label: valueLabel },
    ...classes.map(({ shade, label }) => ({ sample: 'shade', shade, label }) as const),
    ...(partial.length > 0 ? [{ sample: 'partial-cell', label: PARTIAL_LABEL } as const] : []),
    ...(unobserved.length > 0 ? [{ sample: 'unobserved', label: UNOBSERVED_LABEL } as const] : []),
    ...(empty.length > 0 ? [{ sample: 'no-value', label: NO_VALUE_LABEL } as const] : []),
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
