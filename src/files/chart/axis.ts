import { scaleLinear, scaleUtc } from 'd3-scale';
import { utcDay, utcMinute, utcMonth, utcYear } from 'd3-time';
import { utcFormat } from 'd3-time-format';
import type { BinPeriod } from '#analysis/queries/chart-spec.ts';
import { DAY } from '#base/clock.ts';
import { addPeriods } from './data/periods.ts';

/** A mark of an axis with its label, of one or two lines. */
export interface Tick {
  readonly at: number;
  readonly label: string;
}

/** What an axis shows: the range of its values, and its ticks from low to high. */
export interface Axis {
  readonly domain: readonly [low: number, high: number];
  readonly ticks: readonly Tick[];
}

/** The size of the labels of ticks, in pixels. */
export const TICK_FONT_SIZE = 12;

/** Numbers from here on have exponents, and those of axes that are shorter than this. */
const EXPONENT_FROM = 1e15;
const LEAST_RANGE = 1e-6;
const EXACT = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

/** Returns a value as labels and descriptions show it. */
export const formatValue = (value: number): string =>
  Math.abs(value) >= EXPONENT_FROM || (value !== 0 && Math.abs(value) < 0.001)
    ? value.toExponential(3)
    : EXACT.format(value);

/**
 * Plans an axis of numbers that encloses all values between round ticks. Ticks of integers are integers.
 * @param includesZero lengths need it; others leave it out if their values are far from it
 */
export function planNumericAxis(values: readonly number[], includesZero: boolean, tickCount: number): Axis {
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const isNearZero = includesZero || Math.min(Math.abs(min), Math.abs(max)) < (max - min) / 2;
  let [low, high] = isNearZero ? [Math.min(0, min), Math.max(0, max)] : [min, max];
  const isInteger = values.every((value) => Number.isSafeInteger(value));
  const size = Math.max(Math.abs(low), Math.abs(high));
  // Doubles have no digits for a smaller range.
  if (high - low <= size * 1e-9) {
    const margin = isInteger ? 1 : size / 10 || 1;
    [low, high] = [low === 0 ? 0 : low - margin, high + margin];
  }
  const count = Math.max(1, isInteger ? Math.min(tickCount, high - low) : tickCount);
  const scale = scaleLinear([low, high], [0, 1]).nice(count);
  const [from, to] = scale.domain() as [number, number];
  const ticks = scale.ticks(count);
  const digits = Math.ceil(Math.log10(Math.max(-from, to) / (ticks[1]! - ticks[0]!)));
  const format =
    size >= EXPONENT_FROM || to - from < LEAST_RANGE
      ? (at: number) => (at === 0 ? '0' : at.toExponential(digits))
      : scale.tickFormat(count);
  return { domain: [from, to], ticks: ticks.map((at) => ({ at, label: format(at).replace('−', '-') })) };
}

/** What labels say of times that are all the start of a year, a month, a day or a minute: in the first line, and in the second. */
const TIME_LABELS = [
  [utcYear, '%Y', ''],
  [utcMonth, '%b', '%Y'],
  [utcDay, '%-d %b', '%Y'],
  [utcMinute, '%H:%M', '%-d %b %Y'],
  [(date: Date) => date, '%H:%M:%S', '%-d %b %Y'],
] as const;

interface TimeAxisOptions {
  /** The first and the last time, in milliseconds since the epoch. */
  readonly min: number;
  readonly max: number;
  /** The width of the bins that begin at these times. */
  readonly period?: BinPeriod | undefined;
  /** How many ticks fit. */
  readonly tickCount: number;
}

/** Plans an axis of times in UTC. With bins, it ends with the last one, and a tick per bin is in its middle. */
export function planTimeAxis({ min, max, period, tickCount }: TimeAxisOptions): Axis {
  const end = period === undefined ? max : addPeriods(max, period);
  // A single time is in the middle of a day.
  if (min === end) return { domain: [min - DAY / 2, min + DAY / 2], ticks: labelTimes([min], [min]) };
  const domain = [min, end] as const;
  const starts: number[] = [];
  for (let at = min; period !== undefined && at < end; at = addPeriods(min, period, starts.length)) starts.push(at);
  if (period !== undefined && period !== 'hour' && starts.length <= tickCount) {
    const middles = starts.map((at) => (at + addPeriods(at, period)) / 2);
    return { domain, ticks: labelTimes(starts, middles) };
  }
  const step = Math.ceil(starts.length / tickCount);
  if (period === 'week' && step <= 4) {
    const times = starts.filter((_, i) => i % step === 0);
    return { domain, ticks: labelTimes(times, times) };
  }
  const scale = scaleUtc(domain, [0, 1]);
  let ticks = scale.ticks(tickCount);
  for (let count = tickCount - 1; ticks.length > tickCount && count > 0; count--) ticks = scale.ticks(count);
  const times = ticks.length < 2 || ticks.length > tickCount ? [min, end] : ticks.map(Number);
  return { domain, ticks: labelTimes(times, times) };
}

/** Labels times. The second line is where it is not that of the tick before. @param places where the ticks are */
function labelTimes(times: readonly number[], places: readonly number[]): Tick[] {
  const dates = times.map((time) => new Date(time));
  const [, first, second] = TIME_LABELS.find(([floor]) => dates.every((date) => +floor(date) === +date))!;
  const lines = dates.map(utcFormat(second));
  return dates.map((date, i) => ({
    at: places[i]!,
    label: lines[i] === lines[i - 1] ? utcFormat(first)(date) : `${utcFormat(first)(date)}\n${lines[i]}`.trimEnd(),
  }));
}
