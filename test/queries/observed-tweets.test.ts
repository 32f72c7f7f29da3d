import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Db } from '#store/sqlite/database.ts';
import { all } from '../world/worlds.ts';
import {
  ACCOUNT,
  answer,
  clip,
  crawl,
  createStore,
  dayOf,
  howObserved,
  isIn,
  iso,
  listPeriods,
  type PeriodName,
  type Range,
  type Row,
  user,
} from './period-support.ts';

/** Queries about the tweets of an account over time, against a computation from the tables `tweets` and `coverage`. */

const [BEGIN, END] = [Date.UTC(2024, 10, 20), Date.UTC(2025, 2, 10)];
const seconds = (from: number, to: number) =>
  fc.integer({ min: from / 1000, max: to / 1000 - 1 }).map((second) => second * 1000);

interface Case {
  readonly tweets: readonly { readonly at: number; readonly kind: string; readonly likes: number | null }[];
  /** Bounds of disjoint intervals, by list. */
  readonly timeline: readonly number[];
  readonly replies: readonly number[];
  readonly period: PeriodName;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

const bounds = fc.uniqueArray(seconds(BEGIN, END), { maxLength: 6 }).map((all) => {
  const sorted = all.toSorted((a, b) => a - b);
  return sorted.slice(0, sorted.length - (sorted.length % 2));
});

const cases: fc.Arbitrary<Case> = fc.record({
  tweets: fc.array(
    fc.record({
      at: seconds(BEGIN, END),
      kind: fc.constantFrom('original', 'reply', 'not known'),
      likes: fc.option(fc.integer({ min: 0, max: 9 })),
    }),
    { maxLength: 25 },
  ),
  timeline: bounds,
  replies: bounds,
  period: fc.constantFrom('day', 'week', 'month'),
  since: fc.option(seconds(BEGIN, END), { nil: undefined }),
  until: fc.option(seconds(BEGIN, END), { nil: undefined }),
});

const toRanges = (list: readonly number[]): Range[] =>
  list.flatMap((from, i) => (i % 2 === 0 ? [{ from, to: list[i + 1]! }] : []));

function storeOf({ tweets, timeline, replies }: Case): Db {
  const intervals = (kind: string, list: readonly number[]): Row[] =>
    toRanges(list).map(({ from, to }) => ({
      kind,
      target: '100',
      newest_rest_id: 'n',
      newest_at: to,
      oldest_rest_id: 'o',
      oldest_at: from,
      crawl_id: 1,
      pages: 1,
      items: 1,
      created_at: 1,
      updated_at: 1,
    }));
  return createStore({
    users: [user(1)],
    tweets: tweets.map(({ at, kind, likes }, i) => ({
      id: i + 1,
      rest_id: `t${i}`,
      author_id: 1,
      created_at: at,
      first_seen_at: 1,
      last_seen_at: 1,
      in_reply_to_screen_name: kind === 'reply' ? 'someone' : null,
      seen_in_lists: kind === 'original' ? 1 : 0,
      favorite_count: likes,
    })),
    crawls: [crawl(1)],
    coverage: [...intervals('timeline', timeline), ...intervals('replies', replies)],
  });
}

/** What is observed of each kind of tweet, and the periods from the first tweet, or --since, to the end of what is known. */
function readTruth({ tweets, timeline, replies, period, since, until }: Case) {
  const within = { from: since ?? -Infinity, to: until ?? Infinity };
  const posts = tweets.filter(({ at }) => isIn(within, at));
  const observed: Readonly<Record<string, Range[]>> = {
    original: clip(toRanges([...timeline, ...replies]), within),
    reply: clip(toRanges(replies), within),
    'not known': [],
  };
  const ends = [...Object.values(observed).flatMap((all) => all.map(({ to }) => to)), ...posts.map(({ at }) => at + 1)];
  const begin = since ?? Math.min(...posts.map(({ at }) => at));
  const periods = (empty?: number): Range[] =>
    ends.length === 0
      ? []
      : listPeriods({ from: Number.isFinite(begin) ? begin : (empty ?? Infinity), to: Math.max(...ends) }, period);
  return { posts, observed, periods, lastEnd: Math.max(...ends) };
}

const valuesOf = ({ period, since, until }: Case): Row => ({
  account: ACCOUNT,
  period,
  ...(since === undefined ? {} : { since: iso(since) }),
  ...(until === undefined ? {} : { until: iso(until) }),
});

test('tweets-per-period counts tweets, and tells 0 from not observed', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { posts, observed, periods, lastEnd } = readTruth(one);
      const kinds = ['not known', 'original', 'reply'].filter(
        (kind) => observed[kind]!.length > 0 || posts.some((post) => post.kind === kind),
      );
      const truth = periods(lastEnd - 1).flatMap((period) =>
        kinds.flatMap((kind) => {
          const tweets = posts.filter((post) => post.kind === kind && isIn(period, post.at)).length;
          const how = howObserved(period, observed[kind]!);
          if (kind === 'not known' && tweets === 0) return [];
          const isSeen = tweets > 0 || how !== 'not';
          return [
            { period_start: dayOf(period), kind, tweets: isSeen ? tweets : null, is_partial: how === 'whole' ? 0 : 1 },
          ];
        }),
      );
      expect(answer(storeOf(one), 'tweets-per-period', valuesOf(one))).toEqual(truth);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('engagement has the median and the mean of original tweets', () => {
  fc.assert(
    fc.property(cases, (one) => {
      const { observed } = readTruth(one);
      const { posts, periods } = readTruth({ ...one, tweets: one.tweets.filter(({ kind }) => kind !== 'reply') });
      const truth = periods().map((period) => {
        const own = posts.filter(({ at }) => isIn(period, at));
        const known = own.flatMap(({ likes }) => likes ?? []).toSorted((a, b) => a - b);
        const how = howObserved(period, observed['original']!);
        const middle = known.slice(Math.ceil(known.length / 2) - 1, Math.floor(known.length / 2) + 1);
        const mean = (all: readonly number[]) =>
          all.length === 0 ? null : all.reduce((sum, n) => sum + n, 0) / all.length;
        return {
          period_start: dayOf(period),
          tweets: own.length > 0 || how !== 'not' ? own.length : null,
          median_engagement: mean(middle),
          mean_engagement: expect.toSatisfy(
            (n) => (n === null) === (known.length === 0) && Math.abs(Number(n) - Number(mean(known))) < 0.051,
          ),
          is_partial: how === 'whole' ? 0 : 1,
        };
      });
      expect(answer(storeOf(one), 'engagement', valuesOf(one))).toEqual(truth);
    }),
    { numRuns: 25, endOnFailure: true },
  );
});

test('activity-by-hour has 0 in observed hours without tweets, and null in others', () => {
  const HOUR = 3_600_000;
  const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const cellOf = (at: number): number => ((new Date(at).getUTCDay() + 6) % 7) * 24 + new Date(at).getUTCHours();
  fc.assert(
    fc.property(cases, ({ period, ...rest }) => {
      const one = { ...rest, period };
      const { posts, observed } = readTruth(one);
      const seen = new Set<number>();
      for (const { from, to } of [...observed['original']!, ...observed['reply']!]) {
        for (let at = Math.ceil(from / HOUR) * HOUR; at + HOUR <= to; at += HOUR) seen.add(cellOf(at));
      }
      const truth = Array.from({ length: 168 }, (_, cell) => {
        const tweets = posts.filter(({ at }) => cellOf(at) === cell).length;
        return [
          weekdays[Math.floor(cell / 24)],
          String(cell % 24).padStart(2, '0'),
          tweets > 0 || seen.has(cell) ? tweets : null,
        ];
      });
      const { period: _, ...values } = valuesOf(one);
      const rows = answer(storeOf(one), 'activity-by-hour', values);
      expect(rows.map(({ weekday, hour_utc, tweets }) => [weekday, hour_utc, tweets])).toEqual(truth);
    }),
    { numRuns: 12, endOnFailure: true },
  );
});

test('an account whose list is empty has no tweets in the period of the last check', () => {
  const at = Date.UTC(2025, 0, 15, 12);
  using db = createStore({ users: [user(1)], crawls: [crawl(1, { reason: 'no_tweets', started_at: at, pages: 0 })] });
  expect(answer(db, 'tweets-per-period', { account: ACCOUNT, period: 'month' })).toEqual([
    { period_start: '2025-01-01', kind: 'original', tweets: 0, is_partial: 1 },
  ]);
  expect(all(db, "select from_at from v_observed_periods where account = 'name1'")).toEqual([{ from_at: null }]);
});
