import { NEW_CHECKPOINT } from '../../../src/kinds/checkpoint.ts';
import { openConnection } from '../../../src/store/sqlite/driver.ts';
import { newStore, openLeased, pageOf, progressOf, rows, tweet, user } from '../../store/support.ts';
import { HOSTILE } from './account-store.ts';

const START = Date.UTC(2025, 0, 6);
const HOUR = 3_600_000;
const KEPT = Array.from({ length: 39 }, (_, i) => String(i + 2));
const at = (day: number): number => START + day * 24 * HOUR;

/**
 * Creates a store with the account 1, which had the handle `old_star` and 40 followers on day 1, and has `star` and 42 since
 * day 10; three lists of 40 followers, of which the last two lack one and have another; and tweets, one per 5 hours, each with its
 * number as likes; the timeline ends as `bottom` says. The tweet t1 was edited, and the one with the most likes is deleted.
 */
export async function createHistoryStore(tweets: number, bottom: 'served' | 'inferred' = 'served'): Promise<string> {
  const store = newStore();
  const commit = async (kind: string, day: number, more: Parameters<typeof pageOf>[3]) => {
    const { id, lease } = await openLeased(store, at(day), { kind, target: 'id:1', options: '{}' });
    await store.write.commitPage(
      pageOf(id, lease, at(day) + 5, { end: { state: 'complete', ending: 'served' }, ...more }),
    );
  };
  const seeProfile = (day: number, screenName: string, name: string, followersCount: number) =>
    commit('profile', day, {
      rows: rows({
        users: [user('1', { detailLevel: 'profile', createdAt: at(-100), screenName, name, followersCount })],
      }),
      progress: progressOf({ targetRestId: '1', items: 1 }),
    });
  const seeFollowers = (day: number, members: string[]) =>
    commit('followers', day, {
      rows: rows({
        users: [
          user('1', { detailLevel: 'summary', screenName: 'old_star', name: 'Old name', followersCount: 40 }),
          ...members.map((restId) => user(restId, { detailLevel: 'reference' })),
        ],
        follows: [{ side: 'followers', owner: '1', members }],
      }),
      progress: progressOf({ targetRestId: '1', items: members.length }),
    });
  const marks = Array.from({ length: tweets }, (_, i) => ({ id: `t${i + 1}`, at: at(-1) - i * 5 * HOUR }));
  const seeTweets = async (day: number, edited: string) => {
    const [newest, oldest] = [marks[0]!, marks.at(-1)!];
    const scan = { isFromTop: true, newest, oldest, tail: marks.slice(-2), outlier: null, pages: 0, items: 0 };
    await commit('timeline', day, {
      rows: rows({
        users: [user('1', { detailLevel: 'reference' })],
        tweets: marks.map((mark, i) =>
          tweet(mark.id, {
            authorRestId: '1',
            createdAt: mark.at,
            favoriteCount: i,
            text: i === 0 ? edited : `${HOSTILE} ${i}`,
          }),
        ),
      }),
      progress: progressOf({ targetRestId: '1', items: tweets, checkpoint: { ...NEW_CHECKPOINT, scan } }),
      coverage: { spans: [{ newest, oldest, bottom, pages: 1, items: tweets }] },
    });
  };
  await seeProfile(1, 'old_star', 'Old name', 40);
  await seeTweets(2, 'first text');
  await seeFollowers(3, [...KEPT, 'left']);
  await seeFollowers(5, [...KEPT, 'came']);
  await seeFollowers(7, [...KEPT, 'came']);
  await seeProfile(10, 'star', 'New name', 42);
  await seeTweets(11, 'second text');
  const db = openConnection(store.path);
  db.prepare(
    `insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id)
     select id, @at, @at, 1 from tweets order by favorite_count desc limit 1`,
  ).run({ at: at(12) });
  db.close();
  return store.path;
}
