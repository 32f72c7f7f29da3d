import { describe, expect, test } from 'vitest';
import { openReadOnly } from '#store/sqlite/database.ts';
import { ensureCursorSecret } from '#twin/serve/cursor-secret.ts';
import { addFollow, addTweet, addUser, NOW, temporaryFile, temporaryStore, testClock, testTwin } from './support.ts';

/**
 * What becomes of what is stored: the value of each field, and what is shown of people and tweets that are known in part.
 * (That every field is there, and nowhere else, is for the suites in `conformance`.)
 */

/** A user with everything, one of whom only a reference was seen, two edges, one tweet with photos, a reply by each. */
async function smallTwin() {
  const db = temporaryStore();
  const ada = addUser(db, {
    restId: '100',
    screenName: 'Ada',
    name: 'Ada L.',
    description: 'engines',
    location: 'London',
    url: 'https://ada.example',
    type: 'user',
    profileImageUrl: 'https://img.example/a.jpg',
    coverImageUrl: 'https://img.example/b.jpg',
    verified: true,
    isBlueVerified: true,
    canDm: true,
    hasCustomTimelines: true,
    isTranslator: true,
    followersCount: 3,
    followingCount: 4,
    favouritesCount: 5,
    mediaCount: 6,
    statusesCount: 7,
    createdAt: Date.parse('2010-02-03T04:05:06.007Z'),
  });
  const bob = addUser(db, { restId: '200', screenName: 'bob', name: 'Bob', profileAt: null });
  addFollow(db, bob, ada);
  addFollow(db, ada, bob);
  addTweet(db, {
    restId: '9001',
    authorId: ada,
    text: 'hello engine',
    favoriteCount: 1,
    retweetCount: 2,
    replyCount: 3,
    quoteCount: 4,
    hasMedia: true,
    photos: ['https://img.example/1.jpg', 'https://img.example/2.jpg'],
  });
  const answering = { inReplyToStatusRestId: '9001', inReplyToUserRestId: '100', inReplyToScreenName: 'Ada' };
  addTweet(db, { restId: '9002', authorId: bob, text: 'hello back', createdAt: NOW + 1, ...answering });
  addTweet(db, { restId: '9004', authorId: ada, text: 'more of it', createdAt: NOW + 2, ...answering });
  return { db, ada, bob, twin: await testTwin({ db, clock: testClock() }) };
}

test('uses a read-only connection', async () => {
  const file = temporaryFile();
  const writer = temporaryStore(file);
  ensureCursorSecret(writer);
  const db = openReadOnly(file);
  const twin = await testTwin({ db });
  addUser(writer, { restId: '1', screenName: 'late' });
  expect(await twin.get('user-profile', { screenName: 'late' })).toMatchObject({
    status: 200,
    body: { data: { id: '1' } },
  });
  await twin.app.close();
  db.$client.close();
});

describe('user-profile', () => {
  test('shows every field of the spec', async () => {
    const { twin } = await smallTwin();
    expect(await twin.data('user-profile', { screenName: 'Ada' })).toEqual({
      type: 'user',
      userName: 'Ada',
      url: 'https://ada.example',
      id: '100',
      name: 'Ada L.',
      isBlueVerified: true,
      profilePicture: 'https://img.example/a.jpg',
      coverPicture: 'https://img.example/b.jpg',
      description: 'engines',
      location: 'London',
      followers: 3,
      following: 4,
      canDm: true,
      createdAt: '2010-02-03T04:05:06.007Z',
      favouritesCount: 5,
      hasCustomTimelines: true,
      isTranslator: true,
      mediaCount: 6,
      statusesCount: 7,
    });
  });

  test('finds a screen name in any case', async () => {
    const { twin } = await smallTwin();
    expect(await twin.data('user-profile', { screenName: 'aDA' })).toMatchObject({ id: '100' });
  });

  test('shows the last holder of a reused name', async () => {
    const { db, twin } = await smallTwin();
    addUser(db, { restId: '101', screenName: 'ada', lastSeenAt: NOW + 1 });
    expect(await twin.data('user-profile', { screenName: 'Ada' })).toMatchObject({ id: '101' });
  });

  test('shows what a summary said with neutral values for the rest', async () => {
    const { db, twin } = await smallTwin();
    addUser(db, { restId: '300', screenName: 'cleo', profileAt: null, lastSummaryAt: NOW, followersCount: 8 });
    expect(await twin.data('user-profile', { screenName: 'cleo' })).toMatchObject({
      id: '300',
      followers: 8,
      location: '',
      canDm: false,
      createdAt: '1970-01-01T00:00:00.000Z',
    });
  });

  test('has no profile of a user known by reference only', async () => {
    const { twin } = await smallTwin();
    expect((await twin.get('user-profile', { screenName: 'bob' })).status).toBe(404);
  });
});

describe('user-tweets', () => {
  test('shows original tweets only, with their media and without their author', async () => {
    const { twin } = await smallTwin();
    const { user, timeline } = await twin.data('user-tweets', { restId: '100' });
    expect(user).toEqual({ result: { id: '100', rest_id: '100', name: 'Ada L.', screen_name: 'Ada' } });
    expect(timeline.instructions[0]!.entries).toEqual([
      {
        entryId: 'tweet-9001',
        sortIndex: '9001',
        content: {
          tweet: {
            id: '9001',
            text: 'hello engine',
            created_at: '2024-06-01T12:00:00.000Z',
            favorite_count: 1,
            retweet_count: 2,
            reply_count: 3,
            quote_count: 4,
            has_media: true,
            media: [
              { type: 'photo', url: 'https://img.example/1.jpg' },
              { type: 'photo', url: 'https://img.example/2.jpg' },
            ],
          },
        },
      },
    ]);
  });

  test('leaves out a tweet whose time is unknown', async () => {
    const { db, ada, twin } = await smallTwin();
    addTweet(db, { restId: '9003', authorId: ada, createdAt: null });
    expect((await twin.data('user-tweets', { restId: '100' })).timeline.instructions[0]!.entries).toHaveLength(1);
  });
});

describe('user-tweets-replies', () => {
  test('shows tweets and replies, newest first, with the answered tweets', async () => {
    const { db, ada, twin } = await smallTwin();
    addTweet(db, { restId: '9005', authorId: ada, createdAt: NOW + 2 });
    addTweet(db, { restId: '9006', authorId: ada, createdAt: null, inReplyToStatusRestId: '9001' });
    const { user, timeline } = await twin.data('user-tweets-replies', { restId: '100' });
    expect(user).toEqual({ id: '100', rest_id: '100', name: 'Ada L.', screen_name: 'Ada' });
    const shown = timeline.instructions[0]!.entries.map(({ content }) => content.tweet);
    expect(shown.map(({ id }) => id)).toEqual(['9005', '9004', '9001']);
    expect(shown[1]).toMatchObject({
      in_reply_to_status_id: '9001',
      in_reply_to_user_id: '100',
      in_reply_to_screen_name: 'Ada',
    });
  });

  test('shows an unknown name of a reply as neutral, and omits an unknown id', async () => {
    const { db, bob, twin } = await smallTwin();
    addTweet(db, { restId: '9007', authorId: bob, createdAt: NOW + 9, inReplyToStatusRestId: '1' });
    const { timeline } = await twin.data('user-tweets-replies', { restId: '200' });
    const { tweet } = timeline.instructions[0]!.entries[0]!.content;
    expect(tweet).toMatchObject({ id: '9007', in_reply_to_status_id: '1', in_reply_to_screen_name: '' });
    expect(tweet).not.toHaveProperty('in_reply_to_user_id');
  });
});

describe('followers and following', () => {
  test("show the spec's summary fields, neutral for a reference", async () => {
    const { twin } = await smallTwin();
    const { followers } = await twin.data('followers', { restId: '100' });
    expect(followers.timeline.instructions[0]!.entries[0]!.content.user).toEqual({
      id: '200',
      rest_id: '200',
      name: 'Bob',
      screen_name: 'bob',
      profile_image_url: '',
      description: '',
      followers_count: 0,
      following_count: 0,
      verified: false,
    });
    const { following } = await twin.data('following', { restId: '200' });
    expect(following.timeline.instructions[0]!.entries[0]!.content.user).toEqual({
      id: '100',
      rest_id: '100',
      name: 'Ada L.',
      screen_name: 'Ada',
      profile_image_url: 'https://img.example/a.jpg',
      description: 'engines',
      followers_count: 3,
      following_count: 4,
      verified: true,
    });
  });

  test('leave out edges that have ended', async () => {
    const { db, ada, twin } = await smallTwin();
    addFollow(db, addUser(db, { restId: '400' }), ada, NOW);
    expect((await twin.data('followers', { restId: '100' })).followers.timeline.instructions[0]!.entries).toHaveLength(
      1,
    );
  });

  test('of a known user without edges are empty, not missing', async () => {
    const { db, twin } = await smallTwin();
    addUser(db, { restId: '500' });
    const { following } = await twin.data('following', { restId: '500' });
    expect(following.timeline.instructions).toEqual([{ entries: [] }]);
  });
});
