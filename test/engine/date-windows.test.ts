import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { clipRanges, mergeRanges, subtractRanges } from '#base/time-ranges.ts';
import { buildWindowQuery, type DateWindow, splitIntoWindows } from '#crawl/search/date-windows.ts';

const day = (text: string): number => Date.parse(text);

describe('the windows of a backfill', () => {
  it('are whole days from the newest to the oldest, and requests overlap by a day', () => {
    const windows = splitIntoWindows([{ from: day('2025-01-01'), to: day('2025-01-05T10:00:00Z') }], 2);
    expect(windows.map((window) => buildWindowQuery('#cop', window))).toEqual([
      '#cop since:2025-01-03 until:2025-01-06',
      '#cop since:2025-01-01 until:2025-01-04',
      '#cop since:2024-12-31 until:2025-01-02',
    ]);
  });

  it('cover every missing moment once, without the overlap', () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 5 }), fc.integer({ min: 1, max: 60 }), (stretches, days) => {
        const windows = splitIntoWindows(stretches, days);
        expect(stretches.flatMap((each) => subtractRanges(each, windows))).toEqual([]);
        expect(windows.filter(({ from, to }) => from % DAY !== 0 || to % DAY !== 0 || to - from > days * DAY)).toEqual(
          [],
        );
        const inOrder = windows.toReversed();
        expect(inOrder.slice(1).filter(({ from }, i) => from < inOrder[i]!.to)).toEqual([]);
      }),
    );
  });
});

const stretch: fc.Arbitrary<DateWindow> = fc
  .tuple(fc.integer({ min: 0, max: 400 * DAY }), fc.integer({ min: 1, max: 90 * DAY }))
  .map(([from, length]) => ({ from, to: from + length }));

describe('the difference of ranges', () => {
  const inAny = (windows: readonly DateWindow[], at: number): boolean =>
    windows.some(({ from, to }) => at >= from && at < to);

  it('contains each moment outside of the subtracted ranges', () => {
    const moments = fc.array(fc.integer({ min: 0, max: 500 * DAY }), { maxLength: 50 });
    fc.assert(
      fc.property(stretch, fc.array(stretch, { maxLength: 6 }), moments, (whole, taken, some) => {
        const left = subtractRanges(whole, taken);
        for (const at of [...some, ...[whole, ...taken].flatMap(({ from, to }) => [from - 1, from, to - 1, to])])
          expect(inAny(left, at)).toBe(inAny([whole], at) && !inAny(taken, at));
        expect(mergeRanges(left)).toEqual(left);
        // Another way to the parts that both have.
        expect(clipRanges(mergeRanges(taken), whole)).toEqual(mergeRanges(subtractRanges(whole, left)));
      }),
    );
  });
});
