import type { ChartSpec } from '../../../analysis/queries/chart-spec.ts';
import { UsageError } from '../../../base/errors.ts';
import { formatCount } from '../../../base/text.ts';
import { type Axis, formatValue, planNumericAxis, planTimeAxis, TICK_FONT_SIZE } from '../axis.ts';
import { binOf } from '../data/places.ts';
import type { PointSet } from '../data/read-points.ts';
import { ellipsise, estimateWidth } from '../label-width.ts';

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
    hint:
      mark === 'columns' ? 'Draw a line, or group the rows by a longer period.' : 'Group the rows by a longer period.',
  });
}
