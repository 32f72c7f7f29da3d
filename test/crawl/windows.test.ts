import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '../../src/clock.ts';
import { searchWithin, windowsBetween } from '../../src/crawl/windows.ts';

const day = (text: string): number => Date.parse(text);

describe('the windows of a backfill', () => {
  it('go from the newest to the oldest, and end with the day of the end', () => {
    const windows = windowsBetween(day('2025-01-01'), day('2025-01-05T10:00:00Z'), 2);
    expect(windows.map((window) => searchWithin('#cop', window))).toEqual([
      '#cop since:2025-01-03 until:2025-01-06',
      '#cop since:2025-01-01 until:2025-01-04',
      '#cop since:2024-12-31 until:2025-01-02',
    ]);
  });

  it('cover every moment in between once, before the overlap is added', () => {
    const moment = fc.integer({ min: 0, max: 4000 * DAY });
    fc.assert(
      fc.property(
        moment,
        fc.integer({ min: 1, max: 400 * DAY }),
        fc.integer({ min: 1, max: 60 }),
        (since, length, days) => {
          const windows = windowsBetween(since, since + length, days).toReversed();
          expect(windows[0]!.from).toBeLessThanOrEqual(since);
          expect(windows.at(-1)!.to).toBeGreaterThanOrEqual(since + length);
          expect(windows.slice(1).map(({ from }) => from)).toEqual(windows.slice(0, -1).map(({ to }) => to));
          expect(windows.filter(({ from, to }) => to - from > days * DAY || to <= from)).toEqual([]);
        },
      ),
    );
  });
});
