import { expect, test } from 'vitest';
import { formatBytes, formatCount, formatDuration } from '#cli/terminal/print.ts';

test.each([
  [0.4, '0 ms'],
  [999.4, '999 ms'],
  [999.6, '1 s'],
  [59_999, '1 min'],
  [3_725_000, '1 h 2 min'],
])('%d ms are %s', (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test.each([
  [999, '999 B'],
  [1000, '1.0 kB'],
  [99_400, '99.4 kB'],
  [999_499, '999 kB'],
  [999_950, '1.0 MB'],
  [999.6e6, '1.0 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [-1_234_567, '-1,234,567'],
  [Number.MAX_SAFE_INTEGER, '9,007,199,254,740,991'],
  [1234.5678, '1,234.568'],
])('%d is shown as %s', (n, text) => {
  expect(formatCount(n)).toBe(text);
});
