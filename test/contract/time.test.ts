import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseTimestamp, parseTime } from '#service/contract/timestamps.ts';

const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** The parts of an instant as a clock shows them that is ahead of UTC by so many minutes. */
function partsOf(at: number, offset: number) {
  const local = new Date(at + offset * 60_000);
  const [date = '', clock = ''] = local.toISOString().slice(0, -1).split('T');
  const pad = (n: number) => String(n).padStart(2, '0');
  const hours = `${offset < 0 ? '-' : '+'}${pad(Math.floor(Math.abs(offset) / 60))}`;
  const minutes = pad(Math.abs(offset) % 60);
  return {
    date,
    clock,
    second: clock.slice(0, 8),
    hours,
    minutes,
    year: date.slice(0, 4),
    month: MONTHS[local.getUTCMonth()]!,
    day: String(local.getUTCDate()),
    weekday: DAYS[local.getUTCDay()]!,
  };
}

/** Forms of a time; `isExact` where they show milliseconds. */
const FORMS: Readonly<Record<string, (parts: ReturnType<typeof partsOf>) => string>> = {
  'ISO 8601': ({ date, clock, hours, minutes }) => `${date}T${clock}${hours}:${minutes}`,
  'ISO 8601 with a plain offset': ({ date, clock, hours, minutes }) => `${date}T${clock}${hours}${minutes}`,
  'ISO 8601 with a space': ({ date, clock, hours, minutes }) => `${date} ${clock}${hours}:${minutes}`,
  'ISO 8601 with microseconds': ({ date, clock, hours, minutes }) => `${date}T${clock}999${hours}:${minutes}`,
  'ISO 8601 without a fraction': ({ date, second, hours, minutes }) => `${date}T${second}${hours}:${minutes}`,
  'RFC 2822': ({ weekday, day, month, year, second, hours, minutes }) =>
    `${weekday}, ${day} ${month} ${year} ${second} ${hours}${minutes}`,
  'RFC 2822 without a weekday': ({ day, month, year, second, hours, minutes }) =>
    `${day.padStart(2, '0')} ${month} ${year} ${second} ${hours}${minutes}`,
  'a Unix date': ({ weekday, month, day, second, hours, minutes, year }) =>
    `${weekday} ${month} ${day.padStart(2, '0')} ${second} ${hours}${minutes} ${year}`,
  'a Unix date with a padded day': ({ weekday, month, day, second, hours, minutes, year }) =>
    `${weekday} ${month} ${day.padStart(2)} ${second} ${hours}:${minutes} ${year}`,
};
const isExact = (form: string): boolean => form.startsWith('ISO') && !form.includes('without');

const instants = fc.date({
  min: new Date('0001-01-02T00:00:00Z'),
  max: new Date('9998-12-31T00:00:00Z'),
  noInvalidDate: true,
});

test.each(Object.entries(FORMS))('any time round-trips through %s with any offset', (form, write) => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -14 * 60, max: 14 * 60 }), (date, offset) => {
      const at = date.getTime();
      expect(parseTime(write(partsOf(at, offset)))).toBe(isExact(form) ? at : Math.floor(at / 1000) * 1000);
    }),
  );
});

test('any time round-trips through an offset of whole hours', () => {
  fc.assert(
    fc.property(instants, fc.integer({ min: -14, max: 14 }), (date, hours) => {
      const parts = partsOf(date.getTime(), hours * 60);
      expect(parseTime(`${parts.date}T${parts.clock}${parts.hours}`)).toBe(date.getTime());
    }),
  );
});

test.each(['Z', 'z', ' UTC', ' GMT', '+00:00', '-00:00', '+0000', '+00', ' +00:00'])(
  'UTC may be written "%s"',
  (zone) => {
    expect(parseTime(`2018-10-10T20:19:24.5${zone}`)).toBe(Date.UTC(2018, 9, 10, 20, 19, 24, 500));
  },
);

test.each([
  'Wed Oct 10 20:19:24 +0000 2018',
  'Wed, 10 Oct 2018 20:19:24 GMT',
  'wed, 10 oct 2018 22:19:24 +0200 (CEST)',
  '2018-10-10 22:19:24+0200',
  '2018-10-10T22:19:24+02',
  '2018-10-10T20:19:24,000Z',
])('"%s" is a time', (text) => {
  expect(parseTime(text)).toBe(Date.UTC(2018, 9, 10, 20, 19, 24));
});

test.each(['2024-02-29T00:00:00.000Z', '2000-02-29T12:00:00Z', '2025-12-31T23:59:59.999999Z', '2026-01-01T00:00Z'])(
  '%s is a time',
  (text) => {
    expect(new Date(parseTime(text)!).toISOString().slice(0, 16)).toBe(text.slice(0, 16));
  },
);

test.each([
  '',
  'soon',
  '1795269600',
  '2026-01-01',
  '2026-01-01T00:00:00',
  '2026-01-01 00:00:00',
  '2026-01-01T00:00:00+2',
  'Wed Oct 10 20:19:24 2018',
  'Wed, 10 Oct 2018 20:19:24',
  'Wed, 10 Okt 2018 20:19:24 GMT',
  '10 Oct 18 20:19:24 GMT',
  '2023-02-29T00:00:00Z',
  '2024-02-30T00:00:00.000Z',
  '2024-04-31T00:00:00Z',
  '1900-02-29T00:00:00Z',
  '2024-13-01T00:00:00Z',
  '2024-00-01T00:00:00Z',
  '2024-01-00T00:00:00Z',
  'Wed Feb 30 20:19:24 +0000 2018',
  '2024-01-01T25:00:00Z',
  '2024-01-01T00:60:00Z',
  '2024-01-01T00:00:00+24:00',
  '2024-01-01T00:00:00+02:60',
  '2024-01-01T00:00:00Z ',
  ' 2024-01-01T00:00:00Z',
  '2024-01-01T00:00:00Z\n',
])('"%s" is none', (text) => {
  expect(parseTime(text)).toBeUndefined();
});

describe('a time that can be a number', () => {
  const at = Date.UTC(2026, 10, 22, 3, 4, 5, 678);

  test('is read in seconds and in milliseconds, as a number or in digits', () => {
    expect(parseTimestamp(at)).toBe(at);
    expect(parseTimestamp(String(at))).toBe(at);
    expect(parseTimestamp(at / 1000)).toBe(at);
    expect(parseTimestamp(Math.floor(at / 1000))).toBe(at - 678);
    expect(parseTimestamp(String(Math.floor(at / 1000)))).toBe(at - 678);
  });

  test('can be a text like any other time', () => {
    expect(parseTimestamp(new Date(at).toISOString())).toBe(at);
  });

  test.each([null, undefined, true, {}, [at], NaN, Infinity, 0, 900, -at, 1e20, 'soon', '', '900'])(
    'is not %j',
    (value) => {
      expect(parseTimestamp(value)).toBeUndefined();
    },
  );
});
