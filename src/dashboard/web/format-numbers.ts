import { formatCount, pluralize } from '#base/text.ts';
import { formatAgo, formatDuration, toIso } from '#base/units.ts';
/** Numbers and times of pages, in English and UTC. `units.ts` has durations and sizes. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });
const oneDigit = new Intl.NumberFormat('en', { maximumFractionDigits: 1 });

/** Formats a number for a figure: `1,234`, from 10,000 on `12.3K`. */
export const formatFigure = (n: number): string =>
  n < 10_000 ? (n < 10 ? oneDigit.format(n) : Math.round(n).toLocaleString('en')) : compact.format(n);

/** Formats the time since a moment that counts on, in whole minutes after the first one: `3 h 4 min ago`. */
export function formatAge(at: number, now: number): string {
  const age = now - at;
  return formatAgo(at, at + (age < MINUTE ? age : Math.floor(age / MINUTE) * MINUTE));
}

/** Formats the rest of a time that counts down, in whole seconds. */
export const formatRest = (until: number, now: number): string =>
  formatDuration(Math.max(SECOND, Math.round((until - now) / SECOND) * SECOND));

/** Formats a moment as `2026-01-31 12:00:00 UTC`. */
export const formatUtc = (at: number): string => `${toIso(at).slice(0, 19).replace('T', ' ')} UTC`;

/** Formats planned requests; null is unknown: `about 12 requests (3 to 40)`. */
export function describeRequests(plan: {
  readonly min: number;
  readonly expected: number | null;
  readonly max: number | null;
}): string {
  const { min, expected, max } = plan;
  if (min === max) return pluralize(min, 'request');
  const range = max === null ? `at least ${formatCount(min)}` : `${formatCount(min)} to ${formatCount(max)}`;
  return expected === null ? `${range} requests` : `about ${formatCount(expected)} requests (${range})`;
}
