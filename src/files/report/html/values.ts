/** `2025-01-31 12:00` for a time in ISO 8601. */
export const toMinute = (time: string): string => time.slice(0, 16).replace('T', ' ');

/** `2025-01-31` for a time in ISO 8601. */
export const toDay = (time: string): string => time.slice(0, 10);
