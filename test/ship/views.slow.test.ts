import { readdirSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { DAY, systemClock } from '../../src/clock.ts';
import { shipFacts } from '../../src/ship/ship-facts.ts';
import { createViews } from '../../src/ship/views/create-views.ts';
import { findInLake } from '../../src/ship/views/fact-places.ts';
import { addShipTarget, readShipTargets } from '../../src/store/outbox/targets.ts';
import type { EdgeList } from '../../src/store/schema/rows.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import type { Store } from '../../src/store/store.ts';
import { newStore, openLeased, pageOf, progressOf, readerOf, rows, tweet, user } from '../store/support.ts';
import { tempDir } from '../support/temp.ts';
import { storePages } from './shipped-store.ts';

/** Ships what a store has and what waits to a lake. */
async function shipTo(store: Store, lake: string): Promise<void> {
  using db = openDatabase(store.path);
  addShipTarget(db, { address: lake, maxBacklogBytes: 1e9, at: 1 });
  const [target] = readShipTargets(db);
  const signal = new AbortController().signal;
  await shipFacts({
    db,
    path: store.path,
    store: store.id,
    target: target!,
    clock: systemClock,
    variables: {},
    signal,
    isOnce: true,
  });
}

/** Opens the views of a lake. Returns a function that returns the rows of a query, as plain values. */
async function openViews(lake: string): Promise<(sql: string) => Promise<unknown[]>> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  const tables = new Set(readdirSync(lake));
  for (const statement of createViews('duckdb', findInLake('duckdb', { root: lake, tables })))
    await connection.run(statement);
  return async (sql) => {
    const found = (await connection.runAndReadAll(sql)).getRowObjectsJS();
    return found.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    );
  };
}

const USERS = `select rest_id, screen_name, name, description, location, url, type, profile_image_url, cover_image_url, verified,
  is_blue_verified, can_dm, has_custom_timelines, is_translator, followers_count, following_count, favourites_count, media_count,
  statuses_count, created_at, known_by, first_seen_at, last_seen_at, last_summary_at, profile_at from v_users order by rest_id`;
const TWEETS = `select rest_id, author_rest_id, author, text, created_at, favorite_count, retweet_count, reply_count, quote_count,
  engagement, has_media, is_reply, in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name, first_seen_at,
  last_seen_at, deletion_state from v_tweets order by rest_id`;
const FOLLOWS = 'select * from v_current_follows order by follower_rest_id, followee_rest_id';
const PERIODS = `select follower_rest_id, followee_rest_id, first_seen_ms, last_seen_ms, first_missed_ms, ended_ms, is_latest
  from follow_periods order by 1, 2, 3`;
const STORED_PERIODS = `select r.rest_id as follower_rest_id, e.rest_id as followee_rest_id, f.first_seen_at as first_seen_ms,
    f.last_seen_at as last_seen_ms, f.first_missed_at as first_missed_ms, f.ended_at as ended_ms, f.is_latest
  from (select follower_id, followee_id, first_seen_at, last_seen_at, first_missed_at, ended_at, 1 as is_latest from follows
    union all select follower_id, followee_id, first_seen_at, last_seen_at, ended_at, ended_at, 0 from follow_history) f
  join users r on r.id = f.follower_id join users e on e.id = f.followee_id order by 1, 2, 3`;

const readStore = (store: Store, sql: string): unknown[] => readerOf(store).prepare(sql).all();
const readPeriods = (store: Store): unknown[] => readStore(store, STORED_PERIODS);

test.each(['snapshot', 'entries'] as const)(
  'views of users, tweets and follows equal those of the store, from %s',
  async (from) => {
    const store = newStore();
    const lake = tempDir();
    if (from === 'entries') await shipTo(store, lake);
    await storePages(store, '1', 100);
    await storePages(store, '2', 200);
    await storePages(store, '1', 300);
    const { id, lease } = await openLeased(store, 400, { kind: 'tweet', target: '191' });
    const reply = tweet('500', { text: 'yes', authorRestId: '2', inReplyToUserRestId: '1', hasMedia: true });
    await store.write.commitPage(
      pageOf(id, lease, 400, {
        rows: rows({
          users: [
            user('1', { detailLevel: 'reference', profileImageUrl: 'https://x/1.jpg' }),
            user('2', { name: 'Two' }),
          ],
          tweets: [tweet('191', { text: 'now', authorRestId: '1' }), reply],
          nested: { tweetId: '191', replies: ['500'] },
        }),
      }),
    );
    await shipTo(store, lake);
    const ask = await openViews(lake);
    for (const sql of [USERS, TWEETS, FOLLOWS]) expect(await ask(sql)).toEqual(readStore(store, sql));
  },
);

/** A list on one page. */
const lists = fc.array(
  fc.record({
    side: fc.constantFrom<EdgeList['side'][]>('followers', 'followers', 'following'),
    of: fc.constantFrom(1, 2, 3, 4),
    others: fc.subarray([1, 2, 3, 4]),
    wait: fc.constantFrom(10, DAY / 4, 2 * DAY),
    isComplete: fc.constantFrom(true, true, true, false),
  }),
  { minLength: 20, maxLength: 30 },
);

// A store judges the first list of an account by the edges that it has (decision 13); later ones only by counts and sizes.
const WHOLE_LISTS = (['followers', 'following'] as const).flatMap((side) =>
  [1, 2, 3, 4].map((of) => ({ side, of, others: [1, 2, 3, 4], wait: 10, isComplete: true })),
);

/** The edges of all stores with the latest sighting of each: the union of rows, which is wrong. */
function uniteRows(stores: readonly Store[]): Set<string> {
  const ended = new Set<string>();
  for (const store of stores)
    for (const { follower_rest_id: follower, followee_rest_id: followee, ended_ms: end } of readPeriods(
      store,
    ) as Record<string, string>[])
      if (end !== null) ended.add(`${follower}>${followee}`);
  return ended;
}

test('lists dealt to three stores show the same periods as one store with all lists; a union of rows does not', async () => {
  let [periods, ends, wrongUnions] = [0, 0, 0];
  await fc.assert(
    fc.asyncProperty(lists, async (all) => {
      const stores = Array.from({ length: 4 }, () => newStore());
      const lake = tempDir();
      for (const store of stores.slice(0, 3)) await shipTo(store, lake);
      let at = 10 * DAY;
      for (const [i, { side, of, others, wait, isComplete: isEnded }] of [...WHOLE_LISTS, ...all].entries()) {
        at += wait;
        const members = others.filter((other) => other !== of).map(String);
        // Each list is evidence, whichever store knows of others: the counts fall by all that it can lack. Empty ones are not.
        const count = 19 - 4 * i;
        const isComplete = isEnded && members.length > 0;
        for (const store of [stores[of % 3]!, stores[3]!]) {
          const { id, lease } = await openLeased(store, at, { kind: side, target: `id:${of}` });
          const counts = { detailLevel: 'profile', followersCount: count, followingCount: count } as const;
          await store.write.commitPage(
            pageOf(id, lease, at, {
              listDigest: side === 'following' ? members.join(' ') : undefined,
              rows: rows({
                users: [
                  user(String(of), counts),
                  ...members.map((member) => user(member, { screenName: `s${member}` })),
                ],
                follows: [{ side, owner: String(of), members }],
              }),
              requests: [{ endpoint: side, at, status: 200, ms: 1, bytes: 1 }],
              progress: progressOf({ targetRestId: String(of), items: members.length }),
              end: isComplete ? { state: 'complete', ending: 'served' } : { state: 'partial', reason: 'max_pages' },
            }),
          );
        }
      }
      for (const store of stores.slice(0, 3)) await shipTo(store, lake);
      const expected = readPeriods(stores[3]!) as { ended_ms: number | null }[];
      const ask = await openViews(lake);
      expect(await ask(PERIODS)).toEqual(expected);
      expect(await ask(USERS)).toEqual(readStore(stores[3]!, USERS));
      periods += expected.length;
      ends += expected.filter(({ ended_ms: end }) => end !== null).length;
      const united = uniteRows(stores.slice(0, 3));
      const whole = uniteRows([stores[3]!]);
      if (united.size !== whole.size || [...united].some((edge) => !whole.has(edge))) wrongUnions += 1;
    }),
    { numRuns: 6, seed: 1 },
  );
  expect(periods).toBeGreaterThan(50);
  expect(ends).toBeGreaterThan(10);
  expect(wrongUnions).toBeGreaterThan(0);
}, 300_000);
