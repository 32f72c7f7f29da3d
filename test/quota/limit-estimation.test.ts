import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { estimateLimit } from '../../src/quota/estimation/limit-estimation.ts';

const MINUTE = 60_000;
const refused = { previous: undefined, inWindow: 0 };

describe('the estimate from a first refusal', () => {
  test('is the number of grants since the previous refusal, in the time until it ends', () => {
    const now = 30 * MINUTE;
    expect(estimateLimit({ ...refused, now, until: now + 10_000, since: now - 50_000, granted: 40 })).toEqual({
      limit: 40,
      windowMs: 60_000,
    });
  });

  test('has the same rate in the window of token-info, and at least one request', () => {
    const now = 30 * MINUTE;
    const long = { ...refused, now, until: now, since: 0, tokenInfoWindowMs: MINUTE };
    expect(estimateLimit({ ...long, granted: 300 })).toEqual({ limit: 10, windowMs: MINUTE });
    expect(estimateLimit({ ...long, granted: 1 })).toEqual({ limit: 1, windowMs: MINUTE });
  });

  test('is never a higher rate than was granted, except for one request per window', () => {
    const times = fc.record({
      now: fc.integer({ min: 0, max: 1e9 }),
      wait: fc.integer({ min: 0, max: 1e6 }),
      ago: fc.integer({ min: 0, max: 1e8 }),
      granted: fc.integer({ min: 0, max: 1e5 }),
      toldMs: fc.option(fc.integer({ min: 1, max: 1e7 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(times, ({ now, wait, ago, granted, toldMs }) => {
        const { limit, windowMs } = estimateLimit({
          ...refused,
          now,
          until: now + wait,
          since: now - ago,
          granted,
          tokenInfoWindowMs: toldMs,
        });
        const wholeMs = Math.max(1000, wait + ago);
        expect(windowMs).toBeLessThanOrEqual(wholeMs);
        expect(limit === 1 || limit / windowMs <= (granted / wholeMs) * (1 + 1e-9)).toBe(true);
      }),
    );
  });
});
