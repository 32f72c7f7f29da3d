import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSegments, type SegmentEvidence } from '#analysis/coverage/segments.ts';
import { DAY, MINUTE } from '#base/clock.ts';
import { day } from './account-store.ts';

type Interval = SegmentEvidence['intervals'][number];

const interval = (id: number, oldestAt: number, newestAt: number, listEnd: Interval['listEnd'] = null): Interval => ({
  id,
  oldestAt,
  newestAt,
  listEnd,
  trustedFrom: oldestAt,
  pages: 1,
  items: 10,
});

const evidence = (more: Partial<SegmentEvidence>): SegmentEvidence => ({
  kind: 'timeline',
  createdAt: day(0),
  oldestKnownAt: day(0),
  intervals: [],
  gaps: [],
  searched: [],
  checkedAt: day(100),
  provenAt: day(100),
  rest: {
    state: 'unknown',
    reason: 'unproven',
    crawlId: 9,
  },
  ...more,
});

/** `from-to state reason`, in days. */
const partsOf = (more: Partial<SegmentEvidence>): string[] =>
  buildSegments(evidence(more)).segments.map(({ from, to, state, reason }) =>
    [`${(from - day(0)) / DAY}-${(to - day(0)) / DAY}`, state, reason ?? ''].join(' ').trim(),
  );

describe('the segments of a list', () => {
  it('are unknown before the oldest tweet of a list that the service does not page', () => {
    expect(partsOf({ kind: 'replies', intervals: [interval(1, day(90), day(95), 'served')] })).toEqual([
      '0-90 unknown last_page',
      '90-100 complete',
    ]);
  });

  it('are unknown after the newest tweet unless a crawl found nothing newer', () => {
    const intervals = [interval(1, day(10), day(50), 'served')];
    expect(partsOf({ intervals, provenAt: null })).toEqual(['0-50 complete', '50-100 unknown unproven']);
    expect(partsOf({ intervals, provenAt: day(60) })).toEqual(['0-60 complete', '60-100 unknown unproven']);
  });

  it('end at the last check, and at a newest tweet that is newer than its start', () => {
    expect(partsOf({ intervals: [interval(1, day(10), day(101), 'served')] })).toEqual(['0-101 complete']);
    const { axis } = buildSegments(evidence({ checkedAt: day(100) + 999, provenAt: day(100) + 999 }));
    // A service with times in seconds shows a tweet of the rest of this second as one of its start.
    expect(axis.to).toBe(day(100));
  });

  it('keep a gap between two tweets of one instant', () => {
    const intervals = [interval(1, day(10), day(50), 'served'), interval(2, day(50), day(90))];
    expect(partsOf({ intervals, gaps: [{ coverageId: 2, reason: 'interrupted', crawlId: 3 }] })).toEqual([
      '0-50 complete',
      '50-50 gap interrupted',
      '50-100 complete',
    ]);
  });

  it('begin at the oldest known time if the creation is unknown, with a gap before it', () => {
    const { axis, segments } = buildSegments(
      evidence({ createdAt: null, oldestKnownAt: day(40), intervals: [interval(1, day(20), day(90))] }),
    );
    expect(axis).toEqual({ from: day(20), isFromKnown: false, to: day(100) });
    expect(segments[0]).toMatchObject({ from: day(20), to: day(20), state: 'gap' });
  });

  it('show the searched parts of gaps, which stay gaps', () => {
    const intervals = [interval(1, day(10), day(20), 'served'), interval(2, day(50), day(90))];
    const searched = [
      { from: day(15), to: day(30) },
      { from: day(40), to: day(60) },
    ];
    const { segments } = buildSegments(evidence({ intervals, searched }));
    expect(segments.map(({ state, searched: parts }) => [state, parts])).toEqual([
      ['complete', []],
      [
        'gap',
        [
          { from: day(20), to: day(30) },
          { from: day(40), to: day(50) },
        ],
      ],
      ['complete', []],
    ]);
  });
});

/** Times in hours of a hundred days: few enough for ties. */
const hour = fc.integer({ min: 0, max: 2400 }).map((n) => day(0) + n * 60 * MINUTE);

/** A list as it was at one moment, and the pages of it that were read: which of its tweets are stored. */
const readList = fc
  .record({
    tweets: fc.array(hour, { minLength: 1, maxLength: 40 }),
    /** Runs of the list that were read, from the first to the last tweet, newest first. */
    runs: fc.array(fc.tuple(fc.nat(40), fc.nat(8)), { maxLength: 5 }),
    end: fc.constantFrom<Interval['listEnd']>(null, 'served', 'inferred'),
    hasUnseenPast: fc.boolean(),
    isTopRead: fc.boolean(),
    createdAt: fc.option(fc.integer({ min: 1, max: 500 }), { nil: null }),
    checkedHours: fc.integer({ min: 0, max: 300 }),
    kind: fc.constantFrom('timeline', 'replies'),
  })
  .map(({ tweets, runs, end, hasUnseenPast, isTopRead, createdAt, checkedHours, kind }) => {
    const times = tweets.toSorted((a, b) => b - a);
    // Only a service that ends a list that it pages shows all of it.
    const isWhole = end === 'served' && kind === 'timeline';
    const past = hasUnseenPast && !isWhole ? [times.at(-1)! - DAY, times.at(-1)! - 2 * DAY] : [];
    const read = times.map((_, i) => runs.some(([first, length]) => i >= first && i <= first + length + 1));
    if (isTopRead) read[0] = true;
    if (end !== null) read[times.length - 1] = true;
    const checkedAt = times[0]! + checkedHours * 60 * MINUTE;
    // Below the last read tweet and above the first one, nothing was seen.
    const later = isTopRead ? [] : [times[0]! + 1];
    const all = [...later, ...times, ...past];
    const seen = [...later.map(() => false), ...read, ...past.map(() => false)];
    const intervals: Interval[] = [];
    for (let i = 0; i < times.length; i++) {
      if (!read[i]) continue;
      let last = i;
      while (read[last + 1]) last++;
      const listEnd = last === times.length - 1 ? end : null;
      // Without an end, a run claims the times between its bounds.
      if (times[last]! < times[i]! || listEnd !== null) {
        intervals.push({ ...interval(i + 1, times[last]!, times[i]!, listEnd), items: last - i + 1 });
      }
      i = last;
    }
    return { all, seen, kind, intervals, isTopRead, checkedAt, createdAt: createdAt && all.at(-1)! - createdAt * DAY };
  });

it('segments tile the axis, and a complete one misses no tweet of any list', () => {
  fc.assert(
    fc.property(readList, ({ all, seen, isTopRead, checkedAt, ...list }) => {
      // An interval has its place in the list as its id: a later tweet may have the same time as the first.
      const isTopClaimed = list.intervals.some(({ id }) => id === 1);
      const { axis, segments } = buildSegments(
        evidence({
          ...list,
          oldestKnownAt: Math.min(...all),
          checkedAt,
          provenAt: isTopRead && isTopClaimed ? checkedAt : null,
        }),
      );
      const bounds = [axis.from, ...segments.flatMap(({ from, to }) => [from, to]), axis.to];
      expect(bounds.filter((_, i) => i % 2 === 0)).toEqual(bounds.filter((_, i) => i % 2 === 1));
      expect(bounds).toEqual(bounds.toSorted((a, b) => a - b));
      const complete = segments.filter(({ state }) => state === 'complete');
      const missed = all.filter((at, i) => !seen[i] && complete.some(({ from, to }) => from < at && at < to));
      expect(missed).toEqual([]);
      // What was read is claimed: nothing is called a gap for want of care.
      const claimed = list.intervals.filter(({ oldestAt, newestAt }) => oldestAt < newestAt);
      for (const { oldestAt, newestAt } of claimed)
        expect(complete.some(({ from, to }) => from <= oldestAt && newestAt <= to)).toBe(true);
      expect(segments.every(({ state, reason }) => (state === 'complete') === (reason === null))).toBe(true);
    }),
    { numRuns: 500 },
  );
});
