import { expect, test } from 'vitest';
import type { Segment } from '#analysis/coverage/coverage-model.ts';
import { drawBar, formatLegend } from '#cli/coverage/coverage-report.ts';
import { day } from '../analysis/coverage/account-store.ts';

const segments = (['gap', 'complete', 'unknown', 'gap', 'complete'] as const).map((state, i): Segment => {
  const searched = i === 3 ? [{ from: day(300), to: day(400) }] : [];
  return {
    from: day(100 * i),
    to: day(100 * (i + 1)),
    state,
    reason: null,
    crawlId: null,
    pages: 1,
    items: 1,
    searched,
  };
});
const axis = { from: day(0), to: day(500), isFromKnown: true };

test.each([
  [40, 60],
  [60, 60],
  [80, 80],
  [133, 133],
  [160, 160],
  [400, 160],
])('a bar on a terminal of %d columns takes %d', (width, columns) => {
  const bar = drawBar(axis, segments, width);
  expect(bar).toHaveLength(columns);
  expect(bar).toMatch(/^2025-01-01 ·+▒?█+▒?\?+·?-+▒?█+ 2026-05-16$/);
  // Each fifth of the time has a fifth of the cells, within the cells at its ends.
  for (const [symbol, share] of [
    ['·', 0.2],
    ['█', 0.4],
    ['?', 0.2],
  ] as const) {
    const cells = bar
      .slice(11, -11)
      .split('')
      .filter((cell) => cell === symbol).length;
    expect(Math.abs(cells - share * (columns - 22))).toBeLessThanOrEqual(2);
  }
});

test('the legend explains the characters of the bars, which differ without colour', () => {
  expect(formatLegend([drawBar(axis, segments, 78)])).toBe(
    '█ complete  ▒ partly complete  · gap  - searched, not complete  ? unknown',
  );
  expect(formatLegend([drawBar(axis, [{ ...segments[1]!, ...axis }], 77)])).toBe('█ complete');
});
