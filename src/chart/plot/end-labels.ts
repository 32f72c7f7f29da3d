import type { Point } from '../data/read-points.ts';
import { drawKey, fitKeyLabel } from '../legend.ts';
import type { SvgElement } from '../svg.ts';
import type { Frame, PictureOptions } from './picture.ts';

/** The distance of labels in pixels. */
const LABEL_STEP = 18;
const GAP = 8;

interface EndLabelOptions extends Pick<PictureOptions, 'set' | 'id'> {
  readonly frame: Frame;
  readonly scaleY: (value: number) => number;
}

/** Labels lines at the right, each as near to the last value of its line as the others allow. */
export function drawEndLabels({ set, frame, id, scaleY }: EndLabelOptions): SvgElement[] {
  const { width, height, marginTop, marginRight, marginBottom } = frame;
  const last = set.series.map((_, series) => set.points.findLast((point) => isValue(point) && point.series === series));
  const wanted = last
    .map((point, series) => ({ series, y: point === undefined ? height - marginBottom : scaleY(point.y!) }))
    .toSorted((a, b) => a.y - b.y);
  const positions = spread(
    wanted.map(({ y }) => y),
    marginTop + LABEL_STEP / 2,
    Math.max(height - marginBottom, marginTop + LABEL_STEP * wanted.length) - LABEL_STEP / 2,
  );
  return wanted.map(({ series }, i) => {
    const key = { sample: 'line', series, label: set.series[series]! } as const;
    const label = fitKeyLabel(key.label, marginRight - GAP);
    return drawKey(key, label, width - marginRight + GAP, positions[i]!, id);
  });
}

const isValue = ({ y }: Point): boolean => y !== null;

/** Moves ascending positions apart, within a range that has room for them. */
function spread(wanted: readonly number[], low: number, high: number): number[] {
  const positions: number[] = [];
  for (const y of wanted) positions.push(Math.max(y, low, (positions.at(-1) ?? -Infinity) + LABEL_STEP));
  for (let i = positions.length - 1, limit = high; i >= 0; i -= 1, limit = positions[i + 1]! - LABEL_STEP) {
    positions[i] = Math.min(positions[i]!, limit);
  }
  return positions;
}
