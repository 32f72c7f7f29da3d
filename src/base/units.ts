import { pluralize } from './text.ts';

/** Durations, sizes, shares and times as people and programs read them. It runs in browsers too. */

const DURATION_UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** Formats milliseconds by their two largest units: `4 min 10 s`. */
export function formatDuration(ms: number): string {
  if (Math.round(ms) < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  const parts: string[] = [];
  let rest = Math.round(ms / 1000) * 1000;
  for (const [unit, size] of DURATION_UNITS) {
    const n = Math.floor(rest / size);
    rest -= n * size;
    if (n > 0 && parts.length < 2) parts.push(`${n} ${unit}`);
  }
  return parts.join(' ');
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes by their largest unit: `1.2 MB`. */
export function formatBytes(bytes: number): string {
  let n = bytes;
  let unit = 0;
  for (; Math.round(n) >= 1000 && unit < BYTE_UNITS.length - 1; unit++) n /= 1000;
  return `${unit === 0 || n >= 100 ? Math.round(n) : n.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** Formats a share as `25 %`: `< 1 %` above nothing, `> 99 %` below all. Empty if it is unknown. */
export function formatPercent(share: number | null): string {
  if (share === null) return '';
  const percent = Math.round(100 * share);
  if (share > 0 && percent === 0) return '< 1 %';
  return share < 1 && percent === 100 ? '> 99 %' : `${percent} %`;
}

/** A day if the time is midnight in UTC, otherwise ISO 8601: both can be typed as options. */
export const formatMoment = (at: number): string =>
  at % 86_400_000 === 0 ? formatDay(at) : toIso(at).replace(/\.000Z$/, 'Z');

/** ISO 8601 in UTC; null for no time, or for one beyond the range of a date. */
export function toIso(at: number): string;
export function toIso(at: number | null | undefined): string | null;
export function toIso(at: number | null | undefined): string | null {
  return at == null || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString();
}

/** The names of times in milliseconds UTC: those of this list, and names such as `reportedAt`. */
const TIME_NAME = /^(?:at|from|to|asOf|since|until|before)$|(?:At|Since|Until)$/;

/** Formats plain data as JSON. Times become ISO 8601; unknown ones null. */
export const formatDocument = (data: object, indent = 0): string =>
  JSON.stringify(
    data,
    (name, value: unknown) =>
      (typeof value === 'number' || value === undefined) && TIME_NAME.test(name) ? toIso(value) : value,
    indent,
  );

/** Returns plain data with its times as ISO 8601. */
export const withIsoTimes = (data: object): object => JSON.parse(formatDocument(data)) as object;

/** `formatMoment` to the second. */
export const formatSecond = (at: number): string => formatMoment(Math.floor(at / 1000) * 1000);

/** `2025-01-31 12:00`, for tables. @param at milliseconds or ISO 8601, UTC */
export const formatMinute = (at: number | string): string =>
  (typeof at === 'string' ? at : toIso(at)).slice(0, 16).replace('T', ' ');

/** `2025-01-31`. @param at milliseconds or ISO 8601, UTC */
export const formatDay = (at: number | string): string => (typeof at === 'string' ? at : toIso(at)).slice(0, 10);

/** Formats the time for which the free space suffices: `about 12 days`. */
export const formatDaysLeft = (days: number): string =>
  days > 3650 ? 'more than 10 years' : days < 1 ? 'less than a day' : `about ${pluralize(Math.floor(days), 'day')}`;

/** `3 d 4 h ago`. */
export const formatAgo = (at: number, now: number): string =>
  now - at < 1000 ? 'just now' : `${formatDuration(now - at)} ago`;
