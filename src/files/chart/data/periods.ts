import { type TimeInterval, utcDay, utcHour, utcMonday, utcMonth, utcYear } from 'd3-time';
import type { BinPeriod } from '#analysis/queries/chart-spec.ts';
import { MINUTE } from '#base/clock.ts';

/** Milliseconds. */
const HOUR = 60 * MINUTE;

/** The smallest unit that the text of a time has. */
export type TimePrecision = 'year' | 'month' | 'day' | 'time';

export interface ParsedTime {
  /** Milliseconds since the epoch, UTC. */
  readonly ms: number;
  readonly precision: TimePrecision;
}

const TIME = new RegExp(
  String.raw`^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[T ](\d{2})(?::(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:\d{2})?)?)?)?$`,
);

/** Parses ISO 8601 as the views and SQLite's functions write it: `2025`, `2025-01`, `2025-01-31`, `2025-01-31 12:00`. UTC without a zone. */
export function parseIsoTime(text: string): ParsedTime | undefined {
  const [, year, month, day, hour, minute = '0', second = '0', fraction = '0', zone = 'Z'] = TIME.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = [Number(year), Number(month ?? 1) - 1, Number(day ?? 1)] as const;
  const time = [Number(hour ?? 0), Number(minute), Number(second)] as const;
  const ms = Date.UTC(...date, ...time, Math.floor(Number(`0.${fraction}`) * 1000));
  // Date.UTC accepts the 31st of February and the 25th hour.
  const parsed = new Date(ms);
  const isReal =
    parsed.getUTCMonth() === date[1] && parsed.getUTCDate() === date[2] && parsed.getUTCHours() === time[0];
  if (!isReal || time[1] > 59 || time[2] > 59 || date[0] < 1000) return undefined;
  const precision = hour !== undefined ? 'time' : day !== undefined ? 'day' : month !== undefined ? 'month' : 'year';
  return { ms: ms - parseOffset(zone), precision };
}

function parseOffset(zone: string): number {
  if (zone === 'Z') return 0;
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number);
  return (zone.startsWith('-') ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

/** The periods, longest first. */
const INTERVALS: readonly (readonly [period: BinPeriod, interval: TimeInterval])[] = [
  ['year', utcYear],
  ['month', utcMonth],
  ['week', utcMonday],
  ['day', utcDay],
  ['hour', utcHour],
];

/** Returns the start of the bin `count` periods after one that begins at `ms`. */
export const addPeriods = (ms: number, period: BinPeriod, count = 1): number =>
  Number(new Map(INTERVALS).get(period)!.offset(new Date(ms), count));

/** The longest period that texts of a precision can begin, if there is only one of them. */
const SINGLE: Readonly<Record<TimePrecision, BinPeriod>> = { year: 'year', month: 'month', day: 'day', time: 'hour' };

/**
 * Returns the longest period whose bins all times begin; for a single time, that of its text. Undefined if a time begins
 * no hour.
 */
export function inferPeriod(times: readonly number[], precision: TimePrecision): BinPeriod | undefined {
  const distinct = [...new Set(times)].map((ms) => new Date(ms));
  const candidates = distinct.length > 1 ? INTERVALS : INTERVALS.filter(([period]) => period === SINGLE[precision]);
  return candidates.find(([, floor]) => distinct.every((time) => Number(floor(time)) === Number(time)))?.[0];
}
