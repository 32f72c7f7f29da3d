import type { Point, PointSet } from './read-points.ts';

/** A point with the part of the y axis that it fills. */
export interface StackedPoint extends Point {
  readonly low: number | null;
  readonly high: number | null;
}

/**
 * Puts the values of each place on top of each other, positive ones upwards from zero and negative ones downwards. With
 * `isTotal`, a place is a gap in all series if it is one in any of them: the total is not known.
 */
export function stackPoints({ points }: PointSet, isTotal: boolean): StackedPoint[] {
  const gaps = new Set(isTotal ? points.filter(({ y }) => y === null).map(({ x }) => x) : []);
  const ends = new Map<string, number>();
  const bySeries = points.toSorted((a, b) => a.x - b.x || a.series - b.series);
  return bySeries.map((point) => {
    const { x, y } = point;
    if (y === null || gaps.has(x)) return { ...point, low: null, high: null };
    const side = `${x} ${y < 0 ? 'down' : 'up'}`;
    const from = ends.get(side) ?? 0;
    ends.set(side, from + y);
    return { ...point, low: Math.min(from, from + y), high: Math.max(from, from + y) };
  });
}
