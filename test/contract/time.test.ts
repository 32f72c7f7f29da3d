import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readTime } from '../../src/contract/time.ts';

test('every time is read as it is written, whatever its zone', () => {
  const minutes = fc.integer({ min: -14 * 60, max: 14 * 60 });
  const date = fc.date({
    min: new Date('0001-01-02T00:00:00Z'),
    max: new Date('9998-12-31T00:00:00Z'),
    noInvalidDate: true,
  });
  fc.assert(
    fc.property(date, minutes, (at, offset) => {
      const [local] = new Date(at.getTime() + offset * 60_000).toISOString().split('Z');
      const [hour, minute] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60].map((n) =>
        `${n}`.padStart(2, '0'),
      );
      expect(readTime(at.toISOString())).toBe(at.getTime());
      expect(readTime(`${local}${offset < 0 ? '-' : '+'}${hour}:${minute}`)).toBe(at.getTime());
    }),
  );
});

test.each(['2024-02-29T00:00:00.000Z', '2000-02-29T12:00:00Z', '2025-12-31T23:59:59.999999Z'])(
  '%s is a time',
  (text) => {
    expect(new Date(readTime(text)!).toISOString().slice(0, 19)).toBe(text.slice(0, 19));
  },
);

test.each([
  ...[
    '',
    'soon',
    '1795269600',
    '2026-01-01',
    '2026-01-01T00:00:00',
    '2026-01-01 00:00:00Z',
    'Wed Oct 10 20:19:24 +0000 2018',
  ],
  ...[
    '2023-02-29T00:00:00Z',
    '2024-02-30T00:00:00.000Z',
    '2024-04-31T00:00:00Z',
    '2024-13-01T00:00:00Z',
    '2024-01-01T25:00:00Z',
  ],
])('"%s" is none', (text) => {
  expect(readTime(text)).toBeUndefined();
});
