const ISO_TIME = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})$/;

/**
 * A timestamp of the service in milliseconds UTC (spec, "Resources and their fields"). Undefined where it is in another
 * form, has no zone (whose would it be?), or names a day that there is not.
 */
export function readTime(text: string): number | undefined {
  const [, year, month, day] = ISO_TIME.exec(text) ?? [];
  // Date.parse takes the 30th of February for the 1st of March.
  if (day === undefined || (Number(day) > 28 && Number(day) > daysIn(Number(year), Number(month)))) return undefined;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
}

const daysIn = (year: number, month: number): number => new Date(Date.UTC(year, month, 0)).getUTCDate();
