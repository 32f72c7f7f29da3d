import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MINUTE } from '#base/clock.ts';
import { forecastFinish } from '#service/quota/forecast.ts';
import { createModelWindow } from './model-window.ts';

const situations = fc.record({
  sliding: fc.boolean(),
  limit: fc.integer({ min: 5, max: 60 }),
  /** The times of earlier requests, and the share of the window that token-info has shown. */
  spentAt: fc.array(fc.integer({ min: 0, max: 2 * MINUTE }), { maxLength: 80 }),
  shown: fc.double({ min: 0.1, max: 1, noNaN: true }),
  requests: fc.integer({ min: 1, max: 400 }),
  gapMs: fc.integer({ min: 0, max: 3000 }),
});

test('a forecast is exact without a wait for quota; otherwise no crawl ends earlier', () => {
  let waits = 0;
  fc.assert(
    fc.property(situations, ({ sliding, limit, spentAt, shown, requests, gapMs }) => {
      const window = createModelWindow({ limit, windowMs: MINUTE, sliding });
      for (const at of spentAt.toSorted((a, b) => a - b)) window.ask(at);
      const now = 2 * MINUTE + 1;
      const headroom = Math.floor(limit / 10);
      const remaining = window.remaining(now);
      const resetAt = remaining === limit ? undefined : window.nextReturn(now);
      const windowMs = Math.max((resetAt ?? now) - now, shown * MINUTE);
      const outlook = { limit, remaining, headroom, resetAt, windowMs };
      const { earliestAt, finishAt } = forecastFinish(requests, outlook, now, (n) => n * gapMs)!;
      let end = now;
      for (let sent = 0; sent < requests; sent += 1) {
        while (window.remaining(end) <= headroom) end = window.nextReturn(end);
        window.ask(end);
        end += gapMs;
      }
      if (finishAt !== undefined) return finishAt === end;
      waits += 1;
      return earliestAt! <= end + 1;
    }),
  );
  expect(waits).toBeGreaterThan(25);
});

test('a forecast has no end if it needs a window of unknown length, and is undefined if no request is allowed', () => {
  const outlook = { limit: 20, remaining: 20, headroom: 2, resetAt: undefined, windowMs: undefined };
  const forecast = (headroom: number) => forecastFinish(19, { ...outlook, headroom }, 0, () => 0);
  expect(forecast(2)).toEqual({ windows: 2, waits: 1, earliestAt: undefined, finishAt: undefined });
  expect(forecast(20)).toBeUndefined();
});
