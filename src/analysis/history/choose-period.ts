import { DAY } from '#base/clock.ts';

/**
 * Chooses the width of time bins: at most about a hundred, and most of them with an observation.
 * @param days on which something was observed; by default, all
 */
export function choosePeriod(ms: number, days = Infinity): 'day' | 'week' | 'month' {
  const spacing = ms / Math.max(1, days);
  if (ms <= 100 * DAY && spacing <= 2 * DAY) return 'day';
  return ms <= 2 * 365 * DAY && spacing <= 14 * DAY ? 'week' : 'month';
}
