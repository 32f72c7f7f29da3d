/** Formats a share as `25 %`, or `< 1 %`, without a line break. */
export const formatShare = (share: number): string =>
  share > 0 && share < 0.005
    ? '<\u00a01\u00a0%'
    : share < 1 && share >= 0.995
      ? '>\u00a099\u00a0%'
      : `${Math.round(100 * share)}\u00a0%`;

/** `2025-01-31 12:00` for a time in ISO 8601. */
export const toMinute = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** `2025-01-31` for a time in ISO 8601. */
export const toDay = (time: string): string => time.slice(0, 10);
