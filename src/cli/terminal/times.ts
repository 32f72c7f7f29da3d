import { DAY, SECOND } from '../../clock.ts';
import { formatDuration } from './format.ts';

/** Times in UTC: as documents have them, and as people read and type them. */

/** As JSON has it; null where there is none, or where it is beyond what a date can be. */
export function toIso(at: number): string;
export function toIso(at: number | null | undefined): string | null;
export function toIso(at: number | null | undefined): string | null {
  return at == null || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString();
}

/** To the millisecond, and as a day where it is one, so that it can be typed as it is shown. */
export const formatMoment = (at: number): string =>
  at % DAY === 0 ? formatDay(at) : new Date(at).toISOString().replace(/\.000Z$/, 'Z');

/** The same to the second: nobody reads more. */
export const formatSecond = (at: number): string => formatMoment(Math.floor(at / SECOND) * SECOND);

/** `2025-01-31 12:00`: to the minute, for tables. */
export const formatMinute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const formatAgo = (at: number, now: number): string =>
  now - at < SECOND ? 'just now' : `${formatDuration(now - at)} ago`;
