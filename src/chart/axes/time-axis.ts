import { DAY, MINUTE } from '../../clock.ts';
import type { BinPeriod } from '../chart-spec.ts';
import { addPeriods, HOUR, WEEK } from '../data/periods.ts';
import type { Axis, Tick } from './axis.ts';

/** A distance of ticks: a number of milliseconds, or of months. */
interface Step {
  readonly unit: 'time' | 'day' | 'month' | 'year';
  readonly ms?: number;
  readonly months?: number;
}

const STEPS: readonly Step[] = [
  ...[1, 5, 15, 30].map((count) => ({ unit: 'time', ms: count * MINUTE }) as const),
  ...[1, 3, 6, 12].map((count) => ({ unit: 'time', ms: count * HOUR }) as const),
  ...[DAY, 2 * DAY, WEEK, 2 * WEEK].map((ms) => ({ unit: 'day', ms }) as const),
  ...[1, 3, 6].map((months) => ({ unit: 'month', months }) as const),
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].map((count) => ({ unit: 'year', months: 12 * count }) as const),
];

/** The first step that has no more ticks than bins. */
const STEP_OF_PERIOD: Readonly<Record<BinPeriod, Step>> = {
  hour: STEPS.find(({ ms }) => ms === HOUR)!,
  day: STEPS.find(({ ms }) => ms === DAY)!,
  week: STEPS.find(({ ms }) => ms === WEEK)!,
  month: STEPS.find(({ months }) => months === 1)!,
  year: STEPS.find(({ months }) => months === 12)!,
};

/** The first Monday after the epoch. */
const MONDAY = 4 * DAY;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

interface TimeAxisOptions {
  /** The first and the last time, in milliseconds since the epoch. */
  readonly min: number;
  readonly max: number;
  /** The width of the bins that begin at these times. */
  readonly period?: BinPeriod | undefined;
  /** How many ticks fit. */
  readonly tickCount: number;
}

/**
 * Plans an axis of times in UTC. Its ticks are at whole minutes, hours, days, Mondays, months or years. With bins, it ends
 * with the last one, and a tick per bin is in its middle.
 */
export function planTimeAxis({ min, max, period, tickCount }: TimeAxisOptions): Axis {
  if (period === undefined) {
    // A single time is in the middle of a day.
    if (min === max) return { domain: [min - DAY / 2, max + DAY / 2], ticks: labelTicks([min], unitOf(min), []) };
    return { domain: [min, max], ticks: planTicks(min, max, STEPS, tickCount) };
  }
  const end = addPeriods(max, period);
  const smallest = STEP_OF_PERIOD[period];
  const steps = STEPS.slice(STEPS.indexOf(smallest));
  const isPerBin = listTimes(min, end, smallest).length <= tickCount + 1 && smallest.unit !== 'time';
  if (!isPerBin) return { domain: [min, end], ticks: planTicks(min, end, steps, tickCount) };
  const starts = listBins(min, max, period);
  const middles = starts.map((start) => (start + addPeriods(start, period)) / 2);
  return { domain: [min, end], ticks: labelTicks(middles, smallest.unit, starts) };
}

function listBins(min: number, max: number, period: BinPeriod): number[] {
  const starts: number[] = [];
  for (let n = 0, at = min; at <= max; at = addPeriods(min, period, (n += 1))) starts.push(at);
  return starts;
}

/** The ticks of the smallest step that has at most `tickCount` of them; those of the ends if a step has fewer than two. */
function planTicks(min: number, max: number, steps: readonly Step[], tickCount: number): Tick[] {
  for (const step of steps) {
    const times = listTimes(min, max, step, tickCount);
    if (times.length > tickCount) continue;
    return times.length > 1 ? labelTicks(times, step.unit, []) : labelTicks([min, max], 'time', []);
  }
  return labelTicks([min, max], 'year', []);
}

/** The multiples of a step from `min` to `max`: at most `limit + 1` of them. */
function listTimes(min: number, max: number, { unit, ms, months }: Step, limit = 1000): number[] {
  const times: number[] = [];
  if (ms !== undefined) {
    const origin = unit === 'day' && ms % WEEK === 0 ? MONDAY : 0;
    for (let at = Math.ceil((min - origin) / ms) * ms + origin; at <= max && times.length <= limit; at += ms) {
      times.push(at);
    }
    return times;
  }
  const first = new Date(min);
  const month = first.getUTCFullYear() * 12 + first.getUTCMonth();
  for (let n = Math.floor(month / months!) * months!; times.length <= limit; n += months!) {
    const at = Date.UTC(Math.floor(n / 12), n % 12);
    if (at > max) break;
    if (at >= min) times.push(at);
  }
  return times;
}

const unitOf = (ms: number): Step['unit'] => (ms % DAY === 0 ? 'day' : 'time');

/**
 * Labels ticks by times, which are theirs unless `times` has others. The second line has the day or the year, where it is
 * not that of the tick before.
 */
function labelTicks(ticks: readonly number[], unit: Step['unit'], times: readonly number[]): Tick[] {
  let before = '';
  return ticks.map((at, i) => {
    const [first, second] = formatLines(new Date(times[i] ?? at), unit);
    const label = second === before ? first : `${first}\n${second}`.trimEnd();
    before = second;
    return { at, label };
  });
}

function formatLines(date: Date, unit: Step['unit']): [first: string, second: string] {
  const year = String(date.getUTCFullYear());
  const month = MONTHS[date.getUTCMonth()]!;
  const day = `${date.getUTCDate()} ${month}`;
  switch (unit) {
    case 'time': {
      const time = date.toISOString();
      return [date.getTime() % MINUTE === 0 ? time.slice(11, 16) : time.slice(11, 19), `${day} ${year}`];
    }
    case 'day':
      return [day, year];
    case 'month':
      return [month, year];
    case 'year':
      return [year, ''];
  }
}
