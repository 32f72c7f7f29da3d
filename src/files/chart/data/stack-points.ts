import type { Point, PointSet } from './read-points.ts';

/** A point with the part of the y axis that it fills. */
export interface StackedPoint extends Point {
  readonly low: number | null;
  readonly high: number | null;
}

/** Puts the values of each place on top of each other, positive ones upwards from zero and negative ones downwards. */
export function stackPoints({ points }: PointSet): StackedPoint[] {
  const ends = new Map<string, number>();
  const bySeries = points.toSorted((a, b) => a.x - b.x || a.series - b.series);
  return bySeries.map((point) => {
    const { x, y } = point;
    if (y === null) return { ...point, low: null, high: null };
    const side = `${x} ${y < 0 ? 'down' : 'up'}`;
    const from = ends.get(side) ?? 0;
    ends.set(side, from + y);
    return { ...point, low: Math.min(from, from + y), high: Math.max(from, from + y) };
  });
}
