/**
 * Parses timestamps. The spec documents ISO 8601 in UTC with milliseconds (spec, "Resources and their fields"). Other
 * offsets, RFC 2822 and the form of Unix `date` are accepted, too, if they name a zone.
 */

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const CLOCK = String.raw`(?<hour>\d{2}):(?<minute>\d{2})(?::(?<second>\d{2})(?:[.,](?<fraction>\d+))?)?`;
const OFFSET = String.raw`(?<zone>Z|UTC?|GMT|(?<sign>[+-])(?<offsetHour>\d{2})(?::?(?<offsetMinute>\d{2}))?)`;
const DAY_NAME = '(?:sun|mon|tue|wed|thu|fri|sat)';
const MONTH_NAME = `(?<monthName>${MONTHS.join('|')})`;

const FORMS = [
  // 2018-10-10T20:19:24.000Z, 2018-10-10 22:19:24+0200
  String.raw`(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})[T ]${CLOCK} ?${OFFSET}`,
  // Wed Oct 10 20:19:24 +0000 2018
  String.raw`${DAY_NAME} ${MONTH_NAME} {1,2}(?<day>\d{1,2}) ${CLOCK} ${OFFSET} (?<year>\d{4})`,
  // Wed, 10 Oct 2018 20:19:24 GMT, 10 Oct 2018 20:19 +0200 (CEST)
  String.raw`(?:${DAY_NAME}, ?)?(?<day>\d{1,2}) ${MONTH_NAME} (?<year>\d{4}) ${CLOCK} ${OFFSET}(?: \([A-Za-z ]*\))?`,
].map((form) => new RegExp(`^${form}$`, 'i'));

const MINUTE_MS = 60_000;
/** The documented form, for days that exist in every month. */
const DOCUMENTED = /^\d{4}-\d{2}-(?:0\d|1\d|2[0-8])T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;

/**
 * Returns a timestamp in milliseconds UTC, truncated. Undefined for another form, without a zone, and for a day or time
 * that does not exist.
 */
export function parseTime(text: string): number | undefined {
  if (DOCUMENTED.test(text)) {
    const ms = Date.parse(text);
    return Number.isNaN(ms) ? undefined : ms;
  }
  for (const form of FORMS) {
    const parts = form.exec(text)?.groups;
    if (parts) return computeTime(parts);
  }
  return undefined;
}

function computeTime(parts: Readonly<Record<string, string | undefined>>): number | undefined {
  const { year, monthName, hour, minute, second = '00', fraction = '', sign, offsetHour = '0' } = parts;
  const month = monthName ? MONTHS.indexOf(monthName.toLowerCase()) + 1 : Number(parts['month']);
  const offsetMinute = Number(parts['offsetMinute'] ?? 0);
  const date = [year, twoDigits(month), twoDigits(Number(parts['day']))].join('-');
  const midnight = Date.parse(`${date}T00:00:00Z`);
  // Date.parse accepts February 30 as March 2.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(date)) return undefined;
  if (Number(offsetHour) > 23 || offsetMinute > 59) return undefined;
  const ms = Date.parse(`${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`);
  const offset = (Number(offsetHour) * 60 + offsetMinute) * MINUTE_MS;
  return Number.isNaN(ms) ? undefined : ms - (sign === '-' ? -offset : offset);
}

const twoDigits = (n: number): string => String(n).padStart(2, '0');

/** Unix times between 2001 and 5138, in seconds; milliseconds are 1,000 times as large. */
const SECONDS = { from: 1e9, to: 1e11 };

/**
 * Returns a time in milliseconds UTC, given as a timestamp or as a Unix time in seconds or milliseconds (number or
 * digits). Undefined for other values and implausible years.
 */
export function parseTimestamp(value: unknown): number | undefined {
  if (typeof value === 'string' && !/^\d+(\.\d+)?$/.test(value)) return parseTime(value);
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const n = Number(value);
  if (n >= SECONDS.from && n < SECONDS.to) return Math.round(n * 1000);
  return n >= SECONDS.from * 1000 && n < SECONDS.to * 1000 ? Math.round(n) : undefined;
}
