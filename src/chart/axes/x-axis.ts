import { UsageError } from '../../errors.ts';
import { formatCount } from '../../text.ts';
import type { ChartSpec } from '../chart-spec.ts';
import { binOf } from '../data/places.ts';
import type { PointSet } from '../data/read-points.ts';
import { estimateWidth } from '../text-width.ts';
import { type Axis, TICK_FONT_SIZE } from './axis.ts';
import { type CategoryAxis, planCategoryAxis } from './category-axis.ts';
import { formatValue, planNumericAxis } from './numeric-axis.ts';
import { planTimeAxis } from './time-axis.ts';

/** The width of a tick with its label, in pixels. */
const TIME_TICK_WIDTH = 64;
const NUMBER_TICK_WIDTH = 70;
const LABEL_GAP = 12;
const LINE_HEIGHT = TICK_FONT_SIZE + 2;

/** The margins of a picture and its width, in pixels. */
interface Margins {
  readonly left: number;
  readonly right: number;
  readonly width: number;
}

/**
 * Plans the horizontal axis of a chart of points, or of cells. Returns it with the left margin, which is wider than the given
 * one if the first label needs that. @throws UsageError if there are more bins than pixels
 */
export function fitXAxis(
  set: PointSet,
  spec: Pick<ChartSpec, 'mark'>,
  { left, right, width }: Margins,
): { readonly axis: CategoryAxis; readonly left: number } {
  const axis = planXAxis(set, spec, width - left - right);
  if (axis.overhang <= left) return { axis, left };
  return { axis: planXAxis(set, spec, width - axis.overhang - right), left: axis.overhang };
}

function planXAxis(set: PointSet, { mark }: Pick<ChartSpec, 'mark'>, width: number): CategoryAxis {
  const { xKind, points, period, categories } = set;
  if (xKind === 'category') return planCategoryAxis(categories, width);
  const min = points[0]!.x;
  const max = points.at(-1)!.x;
  const hasBins = mark === 'columns' || mark === 'heatmap';
  if (hasBins) checkBinCount(set, mark, width);
  if (xKind === 'time') {
    const axis = planTimeAxis({ min, max, period, tickCount: Math.floor(width / TIME_TICK_WIDTH) });
    return toRows(axis, 2);
  }
  const isInteger = points.every(({ x }) => Number.isSafeInteger(x));
  const widest = Math.max(...[min, max].map((value) => estimateWidth(formatValue(value), TICK_FONT_SIZE)));
  const tickWidth = hasBins ? widest + LABEL_GAP : Math.max(widest + LABEL_GAP, NUMBER_TICK_WIDTH);
  const axis = planNumericAxis({ min, max, isInteger, includesZero: false, tickCount: width / tickWidth });
  if (!hasBins) return toRows(axis, 1);
  const ticks = axis.ticks.filter(({ at }) => at >= min && at <= max);
  return toRows({ domain: [binOf(set, min)[0], binOf(set, max)[1]], ticks }, 1);
}

const toRows = (axis: Axis, rows: number): CategoryAxis => ({
  ...axis,
  ...{ rotation: 0, labelHeight: rows * LINE_HEIGHT, overhang: 0 },
});

function checkBinCount(set: PointSet, mark: string, width: number): void {
  const [start, firstEnd] = binOf(set, set.points[0]!.x);
  const [, end] = binOf(set, set.points.at(-1)!.x);
  const count = Math.round((end - start) / (firstEnd - start));
  if (count <= width) return;
  throw new UsageError(`there are ${formatCount(count)} bins for ${Math.floor(width)} pixels`, {
    hint:
      mark === 'columns' ? 'Draw a line, or group the rows by a longer period.' : 'Group the rows by a longer period.',
  });
}
