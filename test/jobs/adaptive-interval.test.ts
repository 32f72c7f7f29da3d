import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { DAY, MINUTE } from '#base/clock.ts';
import { findInterval, isDue } from '#crawl/jobs/adaptive-interval.ts';
import type { EndedCrawl } from '#store/schema/query-results.ts';

const schedule = { every: 15 * MINUTE, greatest: 7 * DAY };

/** The crawls of an account over some days. */
function follow(tweetsPerDay: number, days: number, bounds = schedule): EndedCrawl[] {
  const crawls: EndedCrawl[] = [];
  for (let at = 0; at < days * DAY; at += bounds.every) {
    if (!isDue(bounds, crawls.toReversed().slice(0, 4), at)) continue;
    const written = (time: number): number => Math.floor((time * tweetsPerDay) / DAY);
    const newItems = written(at) - written(crawls.at(-1)?.startedAt ?? 0);
    crawls.push({ startedAt: at, newItems });
  }
  return crawls;
}

describe('the interval of a target', () => {
  it('is the greatest one for an account that writes nothing', () => {
    const [before, last] = follow(0, 60).slice(-2);
    expect(last!.startedAt - before!.startedAt).toBe(7 * DAY);
  });

  it('is half as long for an account that writes four times as much', () => {
    const count = (perDay: number): number => follow(perDay, 200).length - follow(perDay, 60).length;
    for (const perDay of [5, 20, 80]) expect(count(4 * perDay) / count(perDay)).toBeCloseTo(2, 0);
  });

  it('becomes short again when an account that was quiet begins to write', () => {
    const quiet: EndedCrawl[] = [
      { startedAt: 14 * DAY, newItems: 199 },
      { startedAt: 7 * DAY, newItems: 0 },
    ];
    expect(findInterval(schedule, quiet)).toBeCloseTo((7 / Math.sqrt(200)) * DAY);
  });

  it('is the least one before two crawls have ended', () => {
    expect(findInterval(schedule, [])).toBe(schedule.every);
    expect(findInterval(schedule, [{ startedAt: 0, newItems: 20 }])).toBe(schedule.every);
    expect(isDue(schedule, [], 0)).toBe(true);
  });
});

test('no target is left for longer than the greatest interval, and none is crawled twice within the least', () => {
  const interval = fc.integer({ min: 1, max: 48 });
  fc.assert(
    fc.property(interval, interval, fc.double({ min: 0, max: 5000, noNaN: true }), (least, factor, perDay) => {
      const bounds = { every: (least * (60 * MINUTE)) / 4, greatest: (least * (1 + factor) * (60 * MINUTE)) / 4 };
      const crawls = follow(perDay, 14, bounds);
      for (const [i, { startedAt }] of crawls.entries()) {
        if (i === 0) continue;
        const gap = startedAt - crawls[i - 1]!.startedAt;
        expect(gap).toBeLessThanOrEqual(bounds.greatest);
        expect(gap).toBeGreaterThanOrEqual(bounds.every);
      }
    }),
  );
});
