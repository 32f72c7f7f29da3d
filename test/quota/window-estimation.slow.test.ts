import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MINUTE, SECOND } from '../../src/clock.ts';
import { type Forecast, forecastFinish, type QuotaOutlook } from '../../src/quota/estimation/forecast.ts';
import type { QuotaRecord, SentRequest } from '../../src/quota/estimation/quota-record.ts';
import { estimateWindow, type WindowEstimate } from '../../src/quota/estimation/window-estimation.ts';
import type { QuotaSample } from '../../src/quota/policy.ts';
import { createModelWindow } from './model-window.ts';

/**
 * A quota as the specification describes it: a ceiling, what remains, and a reset, "typically computed over a sliding time
 * window". What `reset_at` says in a sliding window is not specified, so the model draws one of three meanings.
 */
interface ModelOptions {
  readonly kind: 'sliding' | 'fixed';
  readonly windowMs: number;
  /** When a fixed window begins. */
  readonly phase: number;
  readonly limit: number;
  readonly reset: 'next' | 'all' | 'none';
}

type Model = ReturnType<typeof createModel>;

function createModel({ kind, windowMs, phase, limit, reset }: ModelOptions) {
  const window = createModelWindow({ limit, windowMs, sliding: kind === 'sliding' });
  const remaining = (now: number): number => window.remaining(now - phase);
  const nextReturn = (now: number): number => phase + window.nextReturn(now - phase);
  const lastReturn = (now: number): number =>
    kind === 'sliding' ? phase + window.granted.at(-1)! + windowMs : nextReturn(now);
  return {
    remaining,
    nextReturn,
    spend: (now: number): void => void window.ask(now - phase),
    sample(now: number): QuotaSample {
      const left = remaining(now);
      const resetAt = left === limit ? now : reset === 'next' ? nextReturn(now) : lastReturn(now);
      return { limit, remaining: left, resetAt: reset === 'none' ? undefined : resetAt, at: now };
    },
  };
}

const START = Date.UTC(2026, 0);

interface Story {
  readonly model: ModelOptions;
  /** How far samples are apart. */
  readonly interval: number;
  /** Bursts of own requests: the pause before, how many at most, and the time between two. */
  readonly bursts: readonly { readonly pause: number; readonly requests: number; readonly gap: number }[];
  /** When other programs send a request, as shares of the story's length. */
  readonly strangers: readonly number[];
  /** The plan: how many requests, and the time between two. */
  readonly planned: number;
  readonly gap: number;
}

/** Evenly between 0 and a number. */
const share = (most: number): fc.Arbitrary<number> =>
  fc.integer({ min: 0, max: 10_000 }).map((n) => (n / 10_000) * most);

const burst = fc.record({ pause: share(2.5), requests: fc.integer({ min: 1, max: 80 }), gap: share(0.1) });

const stories = (strangers: number): fc.Arbitrary<Story> =>
  fc
    .noBias(
      fc.record({
        kind: fc.constantFrom('sliding' as const, 'fixed' as const),
        windowMs: fc.constantFrom(MINUTE, 5 * MINUTE, 15 * MINUTE, 60 * MINUTE),
        phase: share(1),
        limit: fc.integer({ min: 5, max: 60 }),
        reset: fc.constantFrom('next' as const, 'all' as const, 'none' as const),
        interval: fc.integer({ min: 250, max: 30_000 }),
        bursts: fc.array(burst, { maxLength: 5 }),
        strangers: fc.array(share(1), { maxLength: strangers }),
        planned: fc.integer({ min: 1, max: 400 }),
        gap: share(0.05),
      }),
    )
    .map(({ kind, windowMs, phase, limit, reset, interval, bursts, planned, gap, ...more }) => ({
      model: { kind, windowMs, phase: START - Math.round(phase * windowMs), limit, reset },
      interval: Math.min(interval, windowMs / 10),
      bursts: bursts.map((burst) => ({
        ...burst,
        pause: Math.round(burst.pause * windowMs),
        gap: Math.round(burst.gap * windowMs),
      })),
      strangers: more.strangers,
      planned,
      gap: Math.round(gap * windowMs),
    }));

/** What a store has on record after a story, and the model as it is then. */
function live({ model: options, interval, bursts, strangers }: Story) {
  const model = createModel(options);
  const wanted: number[] = [];
  let at = START;
  for (const { pause, requests, gap } of bursts) {
    at += pause;
    for (let i = 0; i < requests; i++) wanted.push((at += i === 0 ? 0 : gap));
  }
  const end = at + Math.round(1.5 * options.windowMs);
  const others = strangers.map((share) => Math.round(START + share * (end - START))).toSorted((a, b) => a - b);
  const requests: SentRequest[] = [];
  const samples: QuotaSample[] = [];
  for (let now = START, next = 0, other = 0; now <= end; now += interval) {
    samples.push(model.sample(now));
    // Requests of an interval, in the order of time; one without quota is not sent.
    const events = [
      ...(function* () {
        for (; next < wanted.length && wanted[next]! <= now + interval; next++) yield [wanted[next]!, true] as const;
        for (; other < others.length && others[other]! <= now + interval; other++)
          yield [others[other]!, false] as const;
      })(),
    ].toSorted(([a], [b]) => a - b);
    for (const [when, isOwn] of events) {
      if (model.remaining(when) <= 0) continue;
      model.spend(when);
      if (isOwn) requests.push({ at: when, ms: 0, isMetered: true });
    }
  }
  const now = end + 1;
  const last = model.sample(now);
  const record: QuotaRecord = { samples: [...samples, last], requests, otherSamples: [] };
  return { model, record, now, last };
}

/** When the last of some requests is answered that are sent as soon as the quota allows. */
function finish(model: Model, requests: number, gap: number, headroom: number, start: number): number {
  let now = start;
  for (let i = 0; i < requests; i++) {
    while (model.remaining(now) <= headroom) now = model.nextReturn(now);
    model.spend(now);
    now += gap;
  }
  return now;
}

function lookAhead(
  { model: { limit }, planned, gap }: Story,
  window: WindowEstimate,
  last: QuotaSample,
  record: QuotaRecord,
) {
  const headroom = Math.floor(limit / 10);
  const spentAt = record.requests.map(({ at }) => at);
  const { remaining, resetAt } = last;
  const outlook: QuotaOutlook = { limit, remaining, headroom, resetAt, window, spentAt };
  return { headroom, ahead: forecastFinish(planned, outlook, last.at, (n) => n * gap)! };
}

const contains = ({ earliestAt, latestAt }: Forecast, at: number): boolean =>
  (earliestAt ?? -Infinity) <= at + 1 && (latestAt ?? Infinity) >= at - 1;

describe('a window of the quota', () => {
  test('is accurate to the distance of samples when it is proven, and the bounds contain it', () => {
    let proven = 0;
    fc.assert(
      fc.property(stories(0), (story) => {
        const { record } = live(story);
        const { windowMs, kind } = story.model;
        const { provenMs, ranges } = estimateWindow(record);
        const range = ranges.find((one) => one.kind === kind)!;
        const isWithin = range.minMs <= windowMs && (range.maxMs ?? Infinity) >= windowMs;
        if (provenMs === undefined) return isWithin;
        proven += 1;
        return isWithin && Math.abs(provenMs - windowMs) <= story.interval;
      }),
      { numRuns: 250, seed: 1 },
    );
    expect(proven).toBeGreaterThan(80);
  });

  test('is accurate to the distance of samples when other programs use the key, too', () => {
    let proven = 0;
    fc.assert(
      fc.property(stories(12), (story) => {
        const { record } = live(story);
        const { provenMs } = estimateWindow(record);
        if (provenMs === undefined) return true;
        proven += 1;
        return Math.abs(provenMs - story.model.windowMs) <= story.interval;
      }),
      { numRuns: 250, seed: 2 },
    );
    expect(proven).toBeGreaterThan(10);
  });
});

describe('a forecast', () => {
  test.each([0, 12])('contains the end of a crawl, with %i requests of others before it', (others) => {
    let ranges = 0;
    let figures = 0;
    fc.assert(
      fc.property(stories(others), (story) => {
        const { model, record, now, last } = live(story);
        const window = estimateWindow(record);
        const { headroom, ahead } = lookAhead(story, window, last, record);
        const at = finish(model, story.planned, story.gap, headroom, now);
        if (ahead.finishAt === undefined) {
          ranges += 1;
          return contains(ahead, at);
        }
        figures += 1;
        // A proven window is as exact as its samples, once for each window.
        return Math.abs(ahead.finishAt - at) <= (ahead.waits + 1) * 2 * story.interval;
      }),
      { numRuns: 250, seed: 3 },
    );
    expect(ranges).toBeGreaterThan(25);
    expect(figures).toBeGreaterThan(25);
  });
});

/** Samples every five seconds of a sliding window of 15 minutes from which 100 requests were sent, one a second. */
function evenly(now: number): QuotaRecord {
  const requests = Array.from({ length: 100 }, (_, i) => ({ at: START + 500 + i * SECOND, ms: 0, isMetered: true }));
  const sent = requests.filter(({ at }) => at <= now);
  const samples: QuotaSample[] = [];
  for (let at = START; at <= now; at += 5 * SECOND) {
    const counted = requests.filter((request) => request.at <= at && request.at > at - 15 * MINUTE);
    samples.push({ limit: 150, remaining: 150 - counted.length, resetAt: at + 20_127, at });
  }
  return { samples, requests: sent, otherSamples: [] };
}

describe('the recorded samples', () => {
  test('give a lower bound by reset_at until the first request has returned', () => {
    expect(estimateWindow(evenly(START + 10 * MINUTE))).toEqual({
      ranges: [
        { kind: 'sliding', minMs: 20_127, maxMs: undefined },
        { kind: 'fixed', minMs: 20_127, maxMs: undefined },
      ],
      provenMs: undefined,
      reason: 'few_returns',
    });
    const { provenMs, ranges } = estimateWindow(evenly(START + 16 * MINUTE));
    expect(ranges.map(({ kind }) => kind)).toEqual(['sliding']);
    expect(Math.abs(provenMs! - 15 * MINUTE)).toBeLessThan(5 * SECOND);
  });

  test('prove nothing if they include samples of another key', () => {
    const record = evenly(START + 16 * MINUTE);
    const otherSamples = Array.from({ length: 32 }, (_, i) => START + i * 30 * SECOND);
    expect(estimateWindow({ ...record, otherSamples })).toMatchObject({ provenMs: undefined, reason: 'no_samples' });
  });

  test('give no window if there are none', () => {
    const { ranges, reason } = estimateWindow({ samples: [], requests: [], otherSamples: [] });
    expect(reason).toBe('no_samples');
    expect(ranges.map(({ minMs, maxMs }) => [minMs, maxMs])).toEqual([
      [0, undefined],
      [0, undefined],
    ]);
  });
});
