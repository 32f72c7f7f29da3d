import { SECOND } from '../../clock.ts';
import { formatMoment } from '../../units.ts';
import { formatDuration } from './format.ts';

/** ISO 8601 in UTC; null for no time, or for one beyond the range of a date. */
export function toIso(at: number): string;
export function toIso(at: number | null | undefined): string | null;
export function toIso(at: number | null | undefined): string | null {
  return at == null || Math.abs(at) > 8.64e15 ? null : new Date(at).toISOString();
}

/** `formatMoment` to the second. */
export const formatSecond = (at: number): string => formatMoment(Math.floor(at / SECOND) * SECOND);

/** `2025-01-31 12:00`, for tables. */
export const formatMinute = (at: number): string => new Date(at).toISOString().slice(0, 16).replace('T', ' ');

export const formatDay = (at: number): string => new Date(at).toISOString().slice(0, 10);

export const formatAgo = (at: number, now: number): string =>
  now - at < SECOND ? 'just now' : `${formatDuration(now - at)} ago`;
