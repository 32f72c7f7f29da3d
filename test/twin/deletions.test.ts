import { describe, expect, test } from 'vitest';
import { deletionEvidence } from '#store/schema/tables.ts';
import { addCommunity, addList, addTweet, addUser, NOW, temporaryStore, testTwin } from './support.ts';

/** Tweets of one author, all about the moon, with what the store knows of their absence. */
async function seeded() {
  const db = temporaryStore();
  const ada = addUser(db, { restId: '1', screenName: 'ada' });
  const tags = ['moon'];
  const add = (restId: string, more: { suspectedAt?: number; confirmedAt?: number; parent?: string } = {}) => {
    const { suspectedAt, confirmedAt, parent = null } = more;
    const tweet = { restId, authorId: ada, text: `moon ${restId} #moon`, tags, inReplyToStatusRestId: parent };
    const id = addTweet(db, tweet);
    if (suspectedAt !== undefined)
      db.insert(deletionEvidence)
        .values({ tweetId: id, suspectedAt, confirmedAt: confirmedAt ?? null, crawlId: 1 })
        .run();
    return id;
  };
  const tweetIds = [
    add('there'),
    add('suspected', { suspectedAt: NOW + 1 }),
    add('deleted', { suspectedAt: NOW + 1, confirmedAt: NOW + 2 }),
    // Confirmed, and seen again since.
    add('back', { suspectedAt: NOW - 2, confirmedAt: NOW - 1 }),
    add('reply', { parent: 'there' }),
    add('deleted reply', { parent: 'there', suspectedAt: NOW + 1, confirmedAt: NOW + 1 }),
  ];
  addCommunity(db, { restId: '5', tweetIds });
  addList(db, { restId: '6', tweetIds });
  return { db, twin: await testTwin({ db }) };
}

const ORIGINALS = ['back', 'suspected', 'there'];
const ALL = [...ORIGINALS, 'reply'];

describe('a deleted tweet', () => {
  test.each([
    ['user-tweets', { restId: '1' }, ORIGINALS],
    ['user-tweets-replies', { restId: '1' }, ALL],
    ['community-tweets', { communityId: '5' }, ALL],
    ['list-latest-tweets', { listId: '6' }, ALL],
    ['search', { rawQuery: 'moon' }, ALL],
    ['search', { rawQuery: '#moon' }, ALL],
    ['search', { rawQuery: 'from:ada' }, ALL],
    ['tweet-detail', { restId: 'there' }, ['reply']],
  ] as const)('is not on %s %o', async (endpoint, parameters, shown) => {
    const { twin } = await seeded();
    const text = JSON.stringify(await twin.data(endpoint, parameters));
    const ids = [...text.matchAll(/"entryId":"tweet-([^"]+)"/g)].map(([, id]) => id!);
    expect(ids.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([...shown].toSorted((a, b) => (a < b ? -1 : 1)));
  });

  test('is a 404, unlike one that is only suspected or was seen again', async () => {
    const { twin } = await seeded();
    const status = async (restId: string) => (await twin.get('tweet-detail', { restId })).status;
    expect(await status('deleted')).toBe(404);
    expect(await status('deleted reply')).toBe(404);
    for (const restId of ALL) expect(await status(restId), restId).toBe(200);
  });

  test('leaves its author without tweets when it was the only one', async () => {
    const db = temporaryStore();
    const authorId = addUser(db, { restId: '1' });
    const tweetId = addTweet(db, { restId: '10', authorId });
    const twin = await testTwin({ db });
    expect((await twin.get('user-tweets', { restId: '1' })).status).toBe(200);
    db.insert(deletionEvidence)
      .values({ tweetId, suspectedAt: NOW + 1, confirmedAt: NOW + 1, crawlId: 1 })
      .run();
    expect((await twin.get('user-tweets', { restId: '1' })).status).toBe(404);
  });
});
