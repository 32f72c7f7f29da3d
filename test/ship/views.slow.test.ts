import { readdirSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { shipFacts } from '../../src/ship/ship-facts.ts';
import { createViews } from '../../src/ship/views/create-views.ts';
import { findInLake } from '../../src/ship/views/fact-places.ts';
import { addShipTarget, readShipTargets } from '../../src/store/outbox/targets.ts';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import type { Store } from '../../src/store/store.ts';
import { newStore, openLeased, pageOf, readerOf, rows, tweet, user } from '../store/support.ts';
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
const readStore = (store: Store, sql: string): unknown[] => readerOf(store).prepare(sql).all();

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
