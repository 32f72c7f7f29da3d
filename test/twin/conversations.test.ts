import { describe, expect, test } from 'vitest';
import { tweetReplies } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { addTweet, addUser, NOW, temporaryStore, testTwin } from './support.ts';

async function seeded(seed: (db: Db, ada: number) => void) {
  const db = temporaryStore();
  const ada = addUser(db, {
    restId: '1',
    screenName: 'ada',
    name: 'Ada',
    profileImageUrl: 'https://img.example/a.jpg',
  });
  seed(db, ada);
  const twin = await testTwin({ db });
  const tweet = async (restId: string) => (await twin.data('tweet-detail', { restId })).tweet;
  const replyIds = async (restId: string) => (await tweet(restId)).replies.entries.map((e) => e.content.tweet.id);
  return { twin, tweet, replyIds };
}

describe('tweet-detail', () => {
  test('shows the tweet with its author, the sizes of its media, and its replies', async () => {
    const { tweet } = await seeded((db, ada) => {
      const bob = addUser(db, { restId: '2', screenName: 'bob', name: 'Bob' });
      addTweet(db, {
        restId: '10',
        authorId: ada,
        text: 'ask me',
        replyCount: 7,
        photos: ['https://img.example/1.jpg'],
      });
      addTweet(db, {
        restId: '11',
        authorId: bob,
        text: 'why?',
        inReplyToStatusRestId: '10',
        inReplyToUserRestId: '1',
      });
    });
    expect(await tweet('10')).toEqual({
      id: '10',
      rest_id: '10',
      text: 'ask me',
      created_at: '2024-06-01T12:00:00.000Z',
      favorite_count: 0,
      retweet_count: 0,
      reply_count: 7,
      quote_count: 0,
      media: [{ type: 'photo', url: 'https://img.example/1.jpg', width: 640, height: 480 }],
      author: {
        id: '1',
        rest_id: '1',
        name: 'Ada',
        screen_name: 'ada',
        profile_image_url: 'https://img.example/a.jpg',
      },
      replies: {
        entries: [
          {
            entryId: 'tweet-11',
            sortIndex: '11',
            content: {
              tweet: {
                id: '11',
                text: 'why?',
                created_at: '2024-06-01T12:00:00.000Z',
                author: { id: '2', rest_id: '2', name: 'Bob', screen_name: 'bob', profile_image_url: '' },
              },
            },
          },
        ],
      },
    });
  });

  test('shows direct replies only, oldest first, also those of its own author', async () => {
    const { replyIds } = await seeded((db, authorId) => {
      addTweet(db, { restId: '10', authorId });
      addTweet(db, { restId: 'late', authorId, inReplyToStatusRestId: '10', createdAt: NOW + 3 });
      addTweet(db, { restId: 'early', authorId, inReplyToStatusRestId: '10', createdAt: NOW + 1 });
      addTweet(db, { restId: 'early too', authorId, inReplyToStatusRestId: '10', createdAt: NOW + 1 });
      addTweet(db, { restId: 'below', authorId, inReplyToStatusRestId: 'early', createdAt: NOW + 2 });
    });
    expect(await replyIds('10')).toEqual(['early', 'early too', 'late']);
    expect(await replyIds('early')).toEqual(['below']);
    expect(await replyIds('late')).toEqual([]);
  });

  test('shows replies known only by their position, which no list shows as an original', async () => {
    const { twin, replyIds } = await seeded((db, authorId) => {
      const bob = addUser(db, { restId: '2', screenName: 'bob' });
      const tweetId = addTweet(db, { restId: '10', authorId });
      const far = addTweet(db, { restId: '9', authorId, createdAt: NOW - 1 });
      const nested = addTweet(db, { restId: '11', authorId: bob, createdAt: NOW + 2 });
      addTweet(db, { restId: '12', authorId: bob, createdAt: NOW + 1, inReplyToStatusRestId: '10' });
      addTweet(db, { restId: '13', authorId: bob });
      addTweet(db, { restId: '14', authorId: bob, inReplyToScreenName: 'ada' });
      for (const above of [tweetId, far])
        db.insert(tweetReplies).values({ tweetId: above, replyId: nested, firstSeenAt: NOW, lastSeenAt: NOW }).run();
    });
    expect(await replyIds('10')).toEqual(['12', '11']);
    expect(await replyIds('9')).toEqual(['11']);
    const tweetsOf = ({ instructions }: { instructions: readonly { entries: readonly unknown[] }[] }) =>
      instructions[0]!.entries.map((entry) => (entry as { content: { tweet: { id: string } } }).content.tweet);
    expect(tweetsOf((await twin.data('user-tweets', { restId: '2' })).timeline).map(({ id }) => id)).toEqual(['13']);
    const [first] = tweetsOf((await twin.data('user-tweets-replies', { restId: '2' })).timeline);
    // Of two tweets that it stood below, the later one.
    expect(first).toMatchObject({
      id: '11',
      in_reply_to_status_id: '10',
      in_reply_to_user_id: '1',
      in_reply_to_screen_name: 'ada',
    });
  });

  test('leaves out a reply whose author or time was never seen', async () => {
    const { replyIds } = await seeded((db, authorId) => {
      addTweet(db, { restId: '10', authorId });
      addTweet(db, { restId: 'nobody', authorId: null, inReplyToStatusRestId: '10' });
      addTweet(db, { restId: 'never', authorId, createdAt: null, inReplyToStatusRestId: '10' });
    });
    expect(await replyIds('10')).toEqual([]);
  });

  test('shows a tweet of which little is known', async () => {
    const { tweet } = await seeded((db) => addTweet(db, { restId: '10', text: null, createdAt: null }));
    expect(await tweet('10')).toEqual({
      id: '10',
      rest_id: '10',
      text: '',
      created_at: '1970-01-01T00:00:00.000Z',
      favorite_count: 0,
      retweet_count: 0,
      reply_count: 0,
      quote_count: 0,
      media: [],
      replies: { entries: [] },
    });
  });
});
