import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RESERVATION_LIFE } from '#service/quota/ledger/ledger.ts';
import {
  decideFallback,
  decidePause,
  PREFETCH_LIFETIME,
  scheduleCheck,
  MIN_POLL_INTERVAL,
  computeBlockEnd,
  computeReserve,
} from '#service/quota/quota-policy.ts';

const NOW = 1_800_000_000_000;
/** A reset time as services give it: near, past, far away, by a wrong clock, or none. */
const resetAt = fc.option(
  fc.oneof(fc.integer({ min: NOW - 1000, max: NOW + 60_000 }), fc.integer({ min: 0, max: 9_000_000_000_000 })),
  { nil: undefined },
);

describe('the reserve', () => {
  test.each([
    [1000, { share: 0.1 }, 100],
    [70, { share: 0.1 }, 7],
    [5, { share: 0.1 }, 1],
    [2, { share: 0.1 }, 1],
    [1, { share: 0.1 }, 0],
    [1, { share: 0.99 }, 0],
    [0, { share: 0.1 }, 0],
    [100, { share: 0 }, 0],
    [100, { requests: 30 }, 30],
    [20, { requests: 30 }, 20],
  ])('of a limit of %i, %o, is %i requests', (limit, reserve, requests) => {
    expect(computeReserve(limit, reserve)).toBe(requests);
  });

  test('as a share keeps at least one request and leaves at least one, at every limit that allows both', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1e6 }),
        fc.double({ min: 0.0001, max: 0.9999, noNaN: true }),
        (limit, share) => {
          const requests = computeReserve(limit, { share });
          expect(requests).toBeLessThan(limit);
          expect(requests).toBeGreaterThanOrEqual(Math.min(1, limit - 1));
        },
      ),
    );
  });
});

const facts = fc
  .record({
    limit: fc.integer({ min: 0, max: 10_000 }),
    share: fc.double({ min: 0, max: 0.99, noNaN: true }),
    estimate: fc.integer({ min: -200, max: 10_000 }),
    open: fc.integer({ min: 0, max: 200 }),
    resetAt,
    pausedFor: fc.option(fc.integer({ min: 0, max: 600_000 }), { nil: undefined }),
  })
  .map(({ share, pausedFor, ...rest }) => {
    const pausedSince = pausedFor === undefined ? undefined : NOW - pausedFor;
    const resumeBy = pausedSince === undefined ? undefined : pausedSince + 5000;
    return { ...rest, now: NOW, headroom: computeReserve(rest.limit, { share }), pausedSince, resumeBy };
  });

const UNPAUSED = { now: NOW, open: 0, resetAt: undefined, pausedSince: undefined, resumeBy: undefined };

describe('a quota decision (invariant 8)', () => {
  test('at or below the reserve always pauses, and a pause always polls again within 5 s but never at once', () => {
    fc.assert(
      fc.property(facts, (given) => {
        const { lookAt, pollBelow } = decidePause(given);
        const goesOn = given.estimate > given.headroom && pollBelow >= given.headroom && pollBelow < given.estimate;
        const pauses = lookAt !== undefined && lookAt >= NOW + MIN_POLL_INTERVAL && lookAt <= NOW + 5000;
        expect(lookAt === undefined ? goesOn : pauses).toBe(true);
      }),
    );
  });

  test('resumes at once for a batch, and for less only after a time', () => {
    const low = { ...UNPAUSED, limit: 100, headroom: 10, pausedSince: NOW - 1000, resumeBy: NOW + 4000 };
    expect(decidePause({ ...low, estimate: 14 })).toMatchObject({ pausedSince: NOW - 1000, resumeBy: NOW + 4000 });
    expect(decidePause({ ...low, estimate: 15 }).lookAt).toBeUndefined();
    expect(decidePause({ ...low, estimate: 11, now: NOW + 4000 }).lookAt).toBeUndefined();
    expect(decidePause({ ...low, estimate: 10, now: NOW + 4000 }).lookAt).toBeDefined();
  });

  test('a pause because of a limit of one ends with that request', () => {
    const one = { ...UNPAUSED, limit: 1, headroom: 0, pausedSince: NOW, resumeBy: NOW + 60_000 };
    expect(decidePause({ ...one, estimate: 1 }).lookAt).toBeUndefined();
  });

  test('does not pause while open requests may have been counted twice', () => {
    const busy = { ...UNPAUSED, limit: 100, headroom: 10, open: 8, resetAt: NOW + 60_000 };
    expect(decidePause({ ...busy, estimate: 4 })).toMatchObject({
      lookAt: NOW + MIN_POLL_INTERVAL,
      pausedSince: undefined,
    });
    expect(decidePause({ ...busy, estimate: 2 })).toMatchObject({ pausedSince: NOW });
  });

  test('a single client polls token-info a logarithmic number of times', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), (limit) => {
        const headroom = computeReserve(limit, { share: 0.1 });
        let polls = 0;
        for (let left = limit; left > headroom; polls += 1)
          left = decidePause({ ...UNPAUSED, limit, headroom, estimate: left }).pollBelow;
        expect(polls).toBeLessThanOrEqual(Math.ceil(Math.log2(limit + 1)) + 1);
      }),
    );
  });
});

test('a reset time that is past, absent or wrong neither stalls nor spins a pause', () => {
  fc.assert(
    fc.property(resetAt, fc.integer({ min: 0, max: 86_400_000 }), (reset, lasted) => {
      const wait = scheduleCheck(NOW, NOW - lasted, reset) - NOW;
      expect(wait).toBeGreaterThanOrEqual(MIN_POLL_INTERVAL);
      expect(wait).toBeLessThanOrEqual(5000);
    }),
  );
  // A sliding window whose reset is always just ahead is looked at less and less often.
  expect(scheduleCheck(NOW, NOW - 60_000, NOW + 5500) - NOW).toBe(5000);
});

test('the block after a 429 is as long as the service says, with a maximum', () => {
  expect(computeBlockEnd(NOW, 7000, NOW + 1000)).toBe(NOW + 7000);
  expect(computeBlockEnd(NOW, undefined, NOW + 1000)).toBe(NOW + 1000);
  expect(computeBlockEnd(NOW, undefined, NOW - 1000)).toBe(NOW + 30_000);
  expect(computeBlockEnd(NOW, undefined, undefined)).toBe(NOW + 30_000);
  fc.assert(
    fc.property(fc.option(fc.nat(), { nil: undefined }), resetAt, (retryAfter, reset) => {
      const wait = computeBlockEnd(NOW, retryAfter, reset) - NOW;
      expect(wait).toBeGreaterThanOrEqual(MIN_POLL_INTERVAL);
      expect(wait).toBeLessThanOrEqual(3_600_000);
    }),
  );
});

test('without token-info a known estimate is used, a pause waits for the reset, and then requests are sent one at a time', () => {
  const out = { now: NOW, isUsable: false, pausedSince: undefined, resetAt: undefined };
  const probe = { probeUntil: NOW + 5000, lookAt: undefined };
  expect(decideFallback({ ...out, isUsable: true })).toMatchObject({ probeUntil: undefined, lookAt: undefined });
  expect(decideFallback(out)).toMatchObject(probe);
  const wait = { ...out, pausedSince: NOW - 1000, resetAt: NOW + 2000 };
  expect(decideFallback(wait)).toMatchObject({ lookAt: NOW + 2000 });
  expect(decideFallback({ ...wait, pausedSince: NOW - 3000, resetAt: NOW - 1 })).toMatchObject(probe);
  expect(decideFallback({ ...wait, pausedSince: NOW - 60_000, resetAt: NOW + 86_400_000 })).toMatchObject(probe);
});

test('cached permits expire with the next poll, and long before their reservation in the ledger (invariant 8)', () => {
  expect(PREFETCH_LIFETIME).toBeLessThanOrEqual(MIN_POLL_INTERVAL);
  expect(PREFETCH_LIFETIME * 100).toBeLessThan(RESERVATION_LIFE);
});
