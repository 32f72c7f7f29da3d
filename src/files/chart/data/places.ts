import { DAY } from '#base/clock.ts';
import { formatDay, formatMinute } from '#base/units.ts';
import { addPeriods } from './periods.ts';
import type { PointSet } from './read-points.ts';

type Places = Pick<PointSet, 'xKind' | 'categories' | 'period'>;

/** Returns the start and the end of the bin that begins at a time; of numbers and categories, one unit around them. */
export function binOf({ xKind, period }: Places, x: number): readonly [start: number, end: number] {
  if (xKind !== 'time') return [x - 0.5, x + 0.5];
  return [x, period === undefined ? x : addPeriods(x, period)];
}

/** Returns where a value is drawn that belongs to a whole bin: in its middle. */
export function middleOf(places: Places, x: number): number {
  const [start, end] = binOf(places, x);
  return (start + end) / 2;
}

/** The lengths of times in ISO 8601 by the period of their bins. */
const TIME_LENGTHS = { hour: 16, day: 10, week: 10, month: 7, year: 4 } as const;

/** Returns a place of the x axis as text, such as `2025-01-06`. */
export function formatPlace({ xKind, categories, period }: Places, x: number): string {
  if (xKind === 'category') return categories[x]!;
  if (xKind === 'number') return String(x);
  if (period !== undefined) return formatMinute(x).slice(0, TIME_LENGTHS[period]);
  return x % DAY === 0 ? formatDay(x) : `${formatMinute(x)} UTC`;
}
