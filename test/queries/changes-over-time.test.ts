import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  ACCOUNT,
  answer,
  crawl,
  createStore,
  dayOf,
  insert,
  isIn,
  iso,
  listPeriods,
  type PeriodName,
  type Range,
  type Row,
  startOfPeriod,
  user,
} from './period-support.ts';

/** Queries about changes over time, against a computation from the base tables or from what was observed. */

const [BEGIN, END] = [Date.UTC(2024, 11, 10), Date.UTC(2025, 1, 20)];
const second = fc.integer({ min: BEGIN / 1000, max: END / 1000 - 1 }).map((at) => at * 1000);
const periodName = fc.constantFrom<PeriodName>('day', 'week', 'month');
const optional = fc.option(second, { nil: undefined });
const RUNS = { numRuns: 25, endOnFailure: true };

/** Rows without a column. */
const omit = (rows: readonly Row[], column: string): Row[] =>
  rows.map((row) => Object.fromEntries(Object.entries(row).filter(([name]) => name !== column)));

const valuesOf = (period: PeriodName, since: number | undefined, until: number | undefined): Row => ({
  account: ACCOUNT,
  period,
  ...(since === undefined ? {} : { since: iso(since) }),
  ...(until === undefined ? {} : { until: iso(until) }),
});

const isWithin =
  (since = -Infinity, until = Infinity) =>
  (at: number) =>
    at >= since && at < until;

test('followers-over-time has the last count of each period, and null where it was not seen', () => {
  const observation = fc.record({ at: second, followers: fc.integer({ min: 1, max: 3 }) });
  const observations = fc.uniqueArray(observation, { selector: ({ at }) => at, minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(observations, periodName, optional, optional, (unordered, period, since, until) => {
      const seen = unordered.toSorted((a, b) => a.at - b.at);
      // The triggers of the store write the history, as in crawls of the profile.
      using db = createStore({ users: [user(1, { first_seen_at: BEGIN - 1 })] });
      const update = db.$client.prepare(
        'update users set followers_count = ?, changed_at = ?, profile_at = ? where id = 1',
      );
      for (const { at, followers } of seen) update.run(followers, at, at);
      insert(db, 'crawls', [crawl(1, { kind: 'profile', finished_at: seen[0]!.at })]);

      const range = { from: since ?? seen[0]!.at, to: until ?? seen.at(-1)!.at + 1 };
      const periods = range.from < range.to ? listPeriods(range, period) : [];
      const known = (at: number): number | null => {
        const before = seen.findLast((one) => one.at <= at)?.followers;
        const after = seen.find((one) => one.at >= at)?.followers;
        return before !== undefined && before === after ? before : null;
      };
      const truth = periods.map((whole) => {
        const part = { from: Math.max(whole.from, range.from), to: Math.min(whole.to, range.to) };
        const last = seen.findLast(({ at }) => isIn(part, at));
        const followers = last?.followers ?? known(part.from);
        const earlier = seen.findLast(({ at }) => at < part.from)?.followers;
        return {
          period_start: dayOf(whole),
          followers,
          change: followers === null || earlier === undefined ? null : followers - earlier,
        };
      });
      const rows = answer(db, 'followers-over-time', valuesOf(period, since, until));
      expect(omit(rows, 'as_of')).toEqual(truth);
      expect(rows.map(({ as_of }) => as_of === null)).toEqual(truth.map(({ followers }) => followers === null));
    }),
    RUNS,
  );
});

test('followers-gained-and-lost counts changes in the period of the list that showed them', () => {
  const lists = fc.uniqueArray(second, { minLength: 1, maxLength: 6 }).map((all) => all.toSorted((a, b) => a - b));
  const edge = fc.record({ first: fc.nat({ max: 5 }), last: fc.option(fc.nat({ max: 5 })) });
  fc.assert(
    fc.property(
      lists,
      fc.array(edge, { maxLength: 10 }),
      periodName,
      optional,
      optional,
      (times, drawn, period, since, until) => {
        const edges = drawn.map(({ first, last }) => {
          const from = first % times.length;
          const to = last === null ? undefined : times[from + 1 + (last % times.length)];
          return { firstSeenAt: times[from]!, endedAt: to ?? null };
        });
        using db = createStore({
          users: [user(1), ...edges.map((_, i) => user(i + 2))],
          crawls: times.map((_, i) => crawl(i + 1, { kind: 'followers' })),
          follows: edges.map(({ firstSeenAt, endedAt }, i) => ({
            followee_id: 1,
            follower_id: i + 2,
            first_seen_at: firstSeenAt,
            last_seen_at: firstSeenAt,
            ended_at: endedAt,
          })),
          _list_snapshots: times.map((at, i) => ({
            crawl_id: i + 1,
            side: 'followers',
            user_id: 1,
            started_at: at,
            finished_at: at,
            item_count: edges.length,
            missed_count: 0,
            ended_count: 0,
          })),
        });
        const within = isWithin(since, until);
        // An edge of the first list may be older than it.
        const changes = edges.flatMap(({ firstSeenAt, endedAt }) => [
          ...(firstSeenAt > times[0]! ? [{ change: 'gained', at: firstSeenAt }] : []),
          ...(endedAt === null ? [] : [{ change: 'lost', at: endedAt }]),
        ]);
        const range: Range = { from: since ?? times[0]!, to: Math.min(until ?? Infinity, times.at(-1)! + 1) };
        const truth = (range.from < range.to ? listPeriods(range, period) : []).flatMap((whole) =>
          ['gained', 'lost'].map((change) => {
            const own = times.filter((at) => isIn(whole, at));
            const n = changes.filter((one) => one.change === change && isIn(whole, one.at) && within(one.at)).length;
            const isSeen = n > 0 || own.some((at) => at !== times[0] && within(at));
            const before = startOfPeriod(whole.from - 1, period);
            const isPartial =
              own.includes(times[0]!) ||
              own.includes(times.at(-1)!) ||
              !times.some((at) => isIn({ from: before, to: whole.from }, at)) ||
              (since !== undefined && since > whole.from) ||
              (until !== undefined && until < whole.to);
            const accounts = change === 'lost' && n > 0 ? -n : n;
            return {
              period_start: dayOf(whole),
              change,
              accounts: isSeen ? accounts : null,
              is_partial: isPartial ? 1 : 0,
            };
          }),
        );
        expect(answer(db, 'followers-gained-and-lost', valuesOf(period, since, until))).toEqual(truth);
      },
    ),
    RUNS,
  );
});

test('deletions-and-edits counts what crawls noticed, and is null without a crawl', () => {
  const reads = fc.uniqueArray(second, { maxLength: 6 }).map((all) => all.toSorted((a, b) => a - b));
  const event = fc.record({ read: fc.nat({ max: 5 }), change: fc.constantFrom('deleted', 'suspected', 'edited') });
  fc.assert(
    fc.property(
      reads,
      fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
      fc.array(event, { maxLength: 8 }),
      periodName,
      (times, whole, drawn, period) => {
        // The first crawl has nothing to compare with.
        const events = drawn.flatMap(({ read, change }) => {
          const at = times[1 + (read % Math.max(1, times.length - 1))];
          return at === undefined ? [] : [{ at, change }];
        });
        using db = createStore({
          users: [user(1)],
          tweets: events.map((_, i) => ({
            id: i + 1,
            rest_id: `t${i}`,
            author_id: 1,
            text: 'now',
            first_seen_at: 1,
            last_seen_at: 2,
          })),
          crawls: times.map((at, i) => crawl(i + 1, { started_at: at, ending: whole[i] ? 'served' : 'joined' })),
          _deletion_evidence: events.flatMap(({ at, change }, i) =>
            change === 'edited'
              ? []
              : [{ tweet_id: i + 1, suspected_at: at, confirmed_at: change === 'deleted' ? at : null, crawl_id: 1 }],
          ),
          tweet_history: events.flatMap(({ at, change }, i) =>
            change === 'edited' ? [{ tweet_id: i + 1, last_seen_at: 1, changed_at: at, text: 'before' }] : [],
          ),
        });
        const periods = times.length < 2 ? [] : listPeriods({ from: times[0]!, to: times.at(-1)! + 1 }, period);
        const truth = periods.flatMap((one) =>
          ['deleted', 'edited', 'suspected'].map((change) => {
            const own = times.flatMap((at, i) => (i > 0 && isIn(one, at) ? [whole[i]!] : []));
            const n = events.filter((each) => each.change === change && isIn(one, each.at)).length;
            return {
              period_start: dayOf(one),
              change,
              tweets: own.length > 0 ? n : null,
              is_partial: own.some(Boolean) ? 0 : 1,
            };
          }),
        );
        expect(answer(db, 'deletions-and-edits', valuesOf(period, undefined, undefined))).toEqual(truth);
      },
    ),
    RUNS,
  );
});

test('search-hits-per-period has 0 in searched time only, and marks saturated days', () => {
  const DAY = 86_400_000;
  const days = fc
    .uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 4 })
    .map((all) => all.toSorted((a, b) => a - b));
  fc.assert(
    fc.property(
      fc.array(second, { maxLength: 12 }),
      days,
      fc.boolean(),
      periodName,
      (times, bounds, isSaturated, period) => {
        const windows = bounds.flatMap((day, i) =>
          i % 2 === 1 ? [{ from: BEGIN + bounds[i - 1]! * DAY, to: BEGIN + day * DAY }] : [],
        );
        const saturated = isSaturated ? windows.slice(0, 1).map(({ from }) => ({ from, to: from + DAY })) : [];
        using db = createStore({
          users: [user(1), user(2)],
          crawls: [crawl(1, { kind: 'search', target: 'moon', target_rest_id: null })],
          tweets: times.map((at, i) => ({
            id: i + 1,
            rest_id: `t${i}`,
            author_id: (i % 2) + 1,
            created_at: at,
            first_seen_at: 1,
            last_seen_at: 1,
          })),
          searches: ['moon', 'Moon since:2025-01-01 until:2025-01-03', 'moonlight', 'moon night'].map((query, i) => ({
            id: i + 1,
            query,
            first_seen_at: 1,
            last_seen_at: 1,
          })),
          // Every third tweet is found by the search, by a window of it, and by another search only.
          search_hits: times.map((_, i) => ({
            search_id: (i % 3) + 1,
            tweet_id: i + 1,
            rank: 1,
            first_seen_at: 1,
            last_seen_at: 1,
          })),
          _search_windows: windows.map(({ from, to }) => ({
            query: 'moon',
            from_at: from,
            to_at: to,
            searched_at: to,
            crawl_id: 1,
          })),
          gaps: saturated.map(({ from, to }) => ({
            kind: 'search',
            target: 'moon',
            newer_rest_id: 'n',
            newer_at: to,
            older_rest_id: 'o',
            older_at: from,
            reason: 'saturated',
            crawl_id: 1,
            updated_at: 1,
          })),
        });
        const found = times.flatMap((at, i) => (i % 3 < 2 ? [{ at, author: i % 2 }] : []));
        const ends = [...found.flatMap(({ at }) => [at, at + 1]), ...windows.flatMap(({ from, to }) => [from, to])];
        const periods =
          ends.length === 0 ? [] : listPeriods({ from: Math.min(...ends), to: Math.max(...ends) }, period);
        const truth = periods.map((one) => {
          const own = found.filter(({ at }) => isIn(one, at));
          const overlaps = ({ from, to }: Range) => from < one.to && to > one.from;
          const searchedMs = windows.reduce(
            (sum, { from, to }) => sum + Math.max(0, Math.min(to, one.to) - Math.max(from, one.from)),
            0,
          );
          const isSeen = own.length > 0 || windows.some(overlaps);
          return {
            period_start: dayOf(one),
            tweets: isSeen ? own.length : null,
            authors: isSeen ? new Set(own.map(({ author }) => author)).size : null,
            is_partial: searchedMs < one.to - one.from || saturated.some(overlaps) ? 1 : 0,
          };
        });
        expect(answer(db, 'search-hits-per-period', { search: 'moon', period })).toEqual(truth);
      },
    ),
    RUNS,
  );
});

const TAGS: readonly string[] = ['a', 'b', 'c'];

test('hashtags-per-period compares tweets with a hashtag with all stored tweets', () => {
  const post = fc.record({
    at: second,
    author: fc.integer({ min: 1, max: 2 }),
    tags: fc.uniqueArray(fc.constantFrom(...TAGS)),
  });
  fc.assert(
    fc.property(
      fc.array(post, { maxLength: 15 }),
      periodName,
      optional,
      fc.boolean(),
      (posts, period, since, isOfOne) => {
        using db = createStore({
          users: [user(1), user(2)],
          tweets: posts.map(({ at, author }, i) => ({
            id: i + 1,
            rest_id: `t${i}`,
            author_id: author,
            created_at: at,
            first_seen_at: 1,
            last_seen_at: 1,
          })),
          tweet_hashtags: posts.flatMap(({ tags }, i) => tags.map((tag) => ({ tweet_id: i + 1, tag }))),
        });
        const chosen = posts.filter(({ at, author }) => at >= (since ?? 0) && (!isOfOne || author === 1));
        const uses = (tag: string) => chosen.filter(({ tags }) => tags.includes(tag)).length;
        const tags = TAGS.filter((tag) => uses(tag) > 0)
          .toSorted((a, b) => uses(b) - uses(a) || (a < b ? -1 : 1))
          .slice(0, 2);
        const times = chosen.map(({ at }) => at);
        const periods =
          chosen.length === 0 ? [] : listPeriods({ from: Math.min(...times), to: Math.max(...times) + 1 }, period);
        const truth = periods.flatMap((one, i) =>
          tags.map((tag) => {
            const all = chosen.filter(({ at }) => isIn(one, at));
            const own = all.filter((each) => each.tags.includes(tag));
            return {
              period_start: dayOf(one),
              tag,
              tweets: all.length > 0 ? own.length : null,
              authors: all.length > 0 ? new Set(own.map(({ author }) => author)).size : null,
              is_partial: i === 0 || i === periods.length - 1 ? 1 : 0,
            };
          }),
        );
        const { account, ...values } = valuesOf(period, since, undefined);
        const rows = answer(db, 'hashtags-per-period', { ...values, limit: 2, ...(isOfOne ? { account } : {}) });
        expect(omit(rows, 'percent_of_stored_tweets')).toEqual(truth);
        const wrong = rows.filter(({ period_start, tweets, percent_of_stored_tweets: percent }) => {
          const all = chosen.filter(({ at }) => iso(startOfPeriod(at, period)).startsWith(String(period_start))).length;
          return all === 0 ? percent !== null : Math.abs(Number(percent) - (100 * Number(tweets)) / all) > 0.006;
        });
        expect(wrong).toEqual([]);
      },
    ),
    RUNS,
  );
});

test('engagement-at-age has the likes at the first sight from that age on, or as seen unchanged before and after', () => {
  const observation = fc.record({ at: second, likes: fc.integer({ min: 0, max: 2 }) });
  const observations = fc.uniqueArray(observation, { selector: ({ at }) => at, minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(observations, fc.integer({ min: 1, max: 900 }), (unordered, hours) => {
      const seen = unordered.toSorted((a, b) => a.at - b.at);
      const [{ at: first, likes }] = seen as [(typeof seen)[0]];
      const tweet = { id: 1, rest_id: 't1', author_id: 1, created_at: BEGIN, has_stale_columns: 0, seen_in_lists: 1 };
      using db = createStore({
        users: [user(1)],
        tweets: [{ ...tweet, first_seen_at: first, last_seen_at: first, favorite_count: likes }],
      });
      const update = db.$client.prepare('update tweets set favorite_count = ?, last_seen_at = ? where id = 1');
      for (const { at, likes: count } of seen.slice(1)) update.run(count, at);

      const age = hours * 3_600_000;
      const before = seen.findLast(({ at }) => at <= BEGIN + age);
      const after = seen.find(({ at }) => at >= BEGIN + age);
      const read = before && before.likes === after?.likes ? { at: BEGIN + age, likes: before.likes } : after;
      const expected = read && read.at <= BEGIN + 1.5 * age ? [{ age: read.at - BEGIN, likes: read.likes }] : [];
      expect(
        answer(db, 'engagement-at-age', { account: ACCOUNT, hours }).map((row) => [row['age_hours'], row['likes']]),
      ).toEqual(expected.map((one) => [Math.round(one.age / 360_000) / 10, one.likes]));
    }),
    RUNS,
  );
});
