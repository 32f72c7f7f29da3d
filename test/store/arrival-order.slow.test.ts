import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DetailLevel, TweetRow, UserRow } from '#store/schema/normalised-rows.ts';
import type { Store } from '#store/store.ts';
import { newStore, openLeased, pageOf, readerOf, rows } from './support.ts';

/** Invariant 6 and invariant 7, as properties: whatever comes in whatever order, with whatever missing. */

type Value = string | number | null;
type Shown = Readonly<Record<string, Value>>;
interface Observation {
  readonly at: number;
  readonly shows: Shown;
}

const NAMES = ['screenName', 'name'];
const SUMMARY = ['description', 'profileImageUrl', 'followersCount', 'followingCount'];
const PROFILE_ONLY = ['location', 'url', 'isBlueVerified', 'statusesCount', 'createdAt'];
const USER: Record<DetailLevel, readonly string[]> = {
  reference: [...NAMES, 'profileImageUrl'],
  summary: [...NAMES, ...SUMMARY, 'verified'],
  profile: [...NAMES, ...SUMMARY, ...PROFILE_ONLY],
};
const COUNTS = ['favoriteCount', 'retweetCount', 'replyCount', 'quoteCount'];
/** The columns of a tweet that pages of each kind show. */
const TWEET: readonly (readonly string[])[] = [
  ['text', 'createdAt', ...COUNTS, 'hasMedia'],
  ['text', 'createdAt', ...COUNTS, 'inReplyToStatusRestId', 'inReplyToUserRestId', 'inReplyToScreenName'],
  ['text', 'createdAt'],
];
const FLAGS = new Set(['isBlueVerified', 'verified', 'hasMedia']);
const NUMBERS = new Set([...COUNTS, 'followersCount', 'followingCount', 'statusesCount', 'createdAt']);

const valueOf = (column: string): fc.Arbitrary<Value> =>
  FLAGS.has(column)
    ? fc.constantFrom(0, 1, null)
    : NUMBERS.has(column)
      ? fc.constantFrom(1, 2, 3, null)
      : fc.constantFrom('a', 'b', 'c', null);

const shows = (columns: readonly string[]): fc.Arbitrary<Shown> =>
  fc.record(Object.fromEntries(columns.map((column) => [column, valueOf(column)])));

type UserObservation = Observation & { readonly detailLevel: DetailLevel };
const userAt = (at: fc.Arbitrary<number>): fc.Arbitrary<UserObservation> =>
  fc
    .constantFrom<DetailLevel[]>('reference', 'summary', 'summary', 'profile')
    .chain((detailLevel) => fc.record({ at, detailLevel: fc.constant(detailLevel), shows: shows(USER[detailLevel]) }));
const tweetAt = (at: fc.Arbitrary<number>): fc.Arbitrary<Observation> =>
  fc.constantFrom(...TWEET).chain((columns) => fc.record({ at, shows: shows(columns) }));

const flagged = (shown: Shown): object =>
  Object.fromEntries(
    Object.entries(shown).map(([column, value]) => [column, FLAGS.has(column) && value !== null ? value === 1 : value]),
  );

/** Stores observations in order; `together` puts those with the same time on one page. */
async function commitsTo(store: Store) {
  const { id, lease } = await openLeased(store, 1);
  return async (what: 'users' | 'tweets', restId: string, observations: readonly Observation[], together: boolean) => {
    let pages = observations.map((one) => [one]);
    if (together)
      pages = pages.reduce<Observation[][]>(
        (all, [one]) =>
          all.at(-1)?.[0]?.at === one!.at ? [...all.slice(0, -1), [...all.at(-1)!, one!]] : [...all, [one!]],
        [],
      );
    for (const page of pages) {
      const each = page.map((one) => ({
        ...flagged(one.shows),
        restId,
        detailLevel: (one as UserObservation).detailLevel,
      }));
      const parts = { media: [], hashtags: [], mentions: [], links: [] };
      await store.write.commitPage(
        pageOf(id, lease, page[0]!.at, {
          rows: rows(
            what === 'users'
              ? { users: each as UserRow[] }
              : { tweets: each.map((row) => ({ ...row, ...parts }) as TweetRow) },
          ),
        }),
      );
    }
  };
}

const snake = (column: string): string => column.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
/** Times are ISO 8601 in views. */
const asShown = (column: string, value: Value): Value =>
  column === 'createdAt' ? new Date(value as number).toISOString() : value;
const isLater = (a: readonly [number, Value], b: readonly [number, Value]): boolean =>
  a[0] > b[0] || (a[0] === b[0] && a[1]! > b[1]!);

/** The expected row: the latest observed value of each column, and of two at one time the greater one. */
function expectedOf(
  observations: readonly Observation[],
  timeOf: (column: string, observation: Observation) => number,
): Record<string, Value> {
  const latest = new Map<string, readonly [number, Value]>();
  for (const observation of observations) {
    for (const [column, value] of Object.entries(observation.shows)) {
      const entry = [timeOf(column, observation), value] as const;
      const known = latest.get(column);
      if (value !== null && (!known || isLater(entry, known))) latest.set(column, entry);
    }
  }
  return Object.fromEntries([...latest].map(([column, [, value]]) => [snake(column), value]));
}

const times = fc.integer({ min: 1, max: 8 }).map((n) => n * 10);
const some = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 2, maxLength: 8 });

it('each column of a user has the value seen last, for any order of arrival (invariant 6)', async () => {
  const store = newStore();
  const db = readerOf(store);
  const commit = await commitsTo(store);
  const find = db.prepare('select * from users join _user_last_seen on user_id = id where rest_id = ?');
  const behind = db
    .prepare('select count(*) from _user_stale_columns join users on id = user_id where rest_id = ?')
    .pluck();
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(some(userAt(times)), fc.boolean(), async (observations, together) => {
      const restId = String(++runs);
      await commit('users', restId, observations, together);
      const row = find.get(restId) as Record<string, Value>;
      const at = (of: readonly UserObservation[]) => (of.length === 0 ? null : Math.max(...of.map((one) => one.at)));
      expect(row).toMatchObject({
        ...expectedOf(observations, (column, one) =>
          column === 'profileImageUrl' && (one as UserObservation).detailLevel === 'reference' ? 0 : one.at,
        ),
        first_seen_at: Math.min(...observations.map((one) => one.at)),
        last_seen_at: at(observations),
        last_summary_at: at(observations.filter(({ detailLevel }) => detailLevel === 'summary')),
        profile_at: at(observations.filter(({ detailLevel }) => detailLevel === 'profile')),
      });
      expect(behind.get(restId) !== 0).toBe(row['has_stale_columns'] === 1);
    }),
    { numRuns: 200 },
  );
}, 60_000);

it('each column of a tweet has the value seen last, for any order of arrival (invariant 6)', async () => {
  const store = newStore();
  const db = readerOf(store);
  const commit = await commitsTo(store);
  const find = db.prepare('select * from tweets where rest_id = ?');
  let runs = 0;
  await fc.assert(
    fc.asyncProperty(some(tweetAt(times)), fc.boolean(), async (observations, together) => {
      const restId = String(++runs);
      await commit('tweets', restId, observations, together);
      expect(find.get(restId)).toMatchObject({
        ...expectedOf(observations, (_, { at }) => at),
        first_seen_at: Math.min(...observations.map((one) => one.at)),
        last_seen_at: Math.max(...observations.map((one) => one.at)),
      });
    }),
    { numRuns: 200 },
  );
}, 60_000);

const apart = <T extends Observation>(one: fc.Arbitrary<T>): fc.Arbitrary<T[]> =>
  fc
    .uniqueArray(one, { selector: ({ at }) => at, minLength: 2, maxLength: 8 })
    .chain((list) => fc.shuffledSubarray(list, { minLength: list.length }));

it.each([
  ['user', 'v_user_versions', 'users', apart(userAt(times)), [...NAMES, ...SUMMARY, 'verified', ...PROFILE_ONLY]],
  ['tweet', 'v_tweet_versions', 'tweets', apart(tweetAt(times)), [...new Set(TWEET.flat())]],
] as const)(
  'the history of a %s matches every observation, for any order of arrival (invariant 7)',
  async (_, view, what, observations, columns) => {
    const store = newStore();
    const db = readerOf(store);
    const commit = await commitsTo(store);
    const versions = db.prepare(`select * from ${view} where rest_id = ? order by valid_from`);
    let runs = 0;
    await fc.assert(
      fc.asyncProperty(observations as fc.Arbitrary<Observation[]>, async (list) => {
        const restId = String(++runs);
        await commit(what, restId, list, false);
        const all = versions.all(restId) as Record<string, string | null>[];
        // One after the other, without a gap, from the first observation until now.
        const first = new Date(Math.min(...list.map((one) => one.at))).toISOString();
        expect(all.map((one) => one['valid_from'])).toEqual([first, ...all.slice(0, -1).map((one) => one['valid_to'])]);
        expect(all.at(-1)!['valid_to']).toBeNull();
        for (const observation of list) {
          const { at, shows: shown } = observation;
          // An author's picture is no observation of the account.
          const isStub = (observation as Partial<UserObservation>).detailLevel === 'reference';
          const kept = columns.filter((column) => !(isStub && column === 'profileImageUrl'));
          const then = new Date(at).toISOString();
          const version = all.findLast((one) => one['valid_from']! <= then)!;
          const said = kept.filter((column) => shown[column] != null);
          expect(
            said.map((column) => [column, version[snake(column)]]),
            `at ${at}`,
          ).toEqual(said.map((column) => [column, asShown(column, shown[column]!)]));
        }
      }),
      { numRuns: 200 },
    );
  },
  60_000,
);

it('observations in order give one history row per change, with its times', async () => {
  const store = newStore();
  const commit = await commitsTo(store);
  const see = (at: number, detailLevel: DetailLevel, shown: Shown): UserObservation => ({
    at,
    detailLevel,
    shows: shown,
  });
  await commit(
    'users',
    '1',
    [
      see(10, 'profile', { screenName: 'a', followersCount: 1, statusesCount: 7 }),
      see(20, 'summary', { screenName: 'a', followersCount: 1 }),
      see(30, 'reference', { screenName: 'b' }),
      see(40, 'summary', { screenName: 'b', followersCount: 2 }),
      see(50, 'profile', { screenName: 'b', followersCount: 2, statusesCount: 8 }),
      see(60, 'summary', { screenName: 'b', followersCount: 2 }),
    ],
    false,
  );
  expect(
    readerOf(store)
      .prepare('select last_seen_at, changed_at, screen_name, followers_count, statuses_count from user_history')
      .all()
      .map((row) => Object.values(row as object)),
  ).toEqual([
    [20, 30, 'a', null, null],
    [20, 40, null, 1, null],
    [10, 50, null, null, 7],
  ]);
});

it('a handle that another account takes over is distinguished', async () => {
  const store = newStore();
  const commit = await commitsTo(store);
  const see = (at: number, screenName: string): UserObservation => ({
    at,
    detailLevel: 'summary',
    shows: { screenName },
  });
  await commit('users', '1', [see(10, 'Nasa'), see(20, 'Nasa'), see(50, 'nasa_old')], false);
  await commit('users', '2', [see(30, 'nasa')], false);
  await commit('users', '3', [see(60, 'NASA')], false);
  const periods = readerOf(store).prepare(
    "select rest_id, substr(valid_from, 22, 2) as since, substr(last_seen_at, 22, 2) as seen, substr(valid_to, 22, 2) as until from v_handle_periods where screen_name = 'nasa' order by valid_from",
  );
  expect(periods.all()).toEqual([
    { rest_id: '1', since: '10', seen: '20', until: '50' },
    { rest_id: '2', since: '30', seen: '30', until: '60' },
    { rest_id: '3', since: '60', seen: '60', until: null },
  ]);
  // The second account has the handle again, and the third was not seen with another handle.
  await commit('users', '2', [see(40, 'nasa'), see(70, 'nasa')], false);
  expect(periods.all().slice(1)).toEqual([
    { rest_id: '2', since: '30', seen: '70', until: null },
    { rest_id: '3', since: '60', seen: '60', until: '60' },
  ]);
});
