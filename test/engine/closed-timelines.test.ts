import { describe, expect, it } from 'vitest';
import { readerOf } from '../store/support.ts';
import { type Answer, crawlAgainst, GONE, listOf, profile, reference, timeline, tweetEntry } from './support.ts';

const nasa = reference('1', 'nasa');
const TWEETS = ['19@9', '18@8', '17@7', '16@6', '15@5', '14@4', '13@3'];

const emptyAnswers: readonly (readonly [string, Answer])[] = [
  ['no instructions', { data: { user: { result: nasa }, timeline: { instructions: [] } } }],
  ['no timeline', { data: { user: { result: nasa }, timeline: null } }],
  ['no entries', { data: { user: { result: nasa }, timeline: listOf([]) } }],
  ['a 404', GONE],
  ['an unavailable user', { data: { user: { result: { __typename: 'UserUnavailable', reason: 'Suspended' } } } }],
  [
    'an unavailable user and an error',
    { data: { user: { result: { __typename: 'UserUnavailable' } }, timeline: {} }, errors: ['x'] } as unknown as Answer,
  ],
];

/** Crawls a timeline with tweets, then one that shows none. The tweets in `there` exist. */
async function crawlTwice(answer: Answer, there: readonly string[] = TWEETS, target = 'id:1') {
  let isClosed = false;
  const ids = ['90', ...there.map((text) => text.split('@')[0])];
  const crawls = await crawlAgainst({
    'user-profile': () => profile('1', 'nasa', 7),
    search: () => ({ data: { timeline: listOf([tweetEntry('90', undefined, { author: reference('2', 'esa') })]) } }),
    'user-tweets': () => (isClosed ? answer : timeline(nasa, TWEETS, null)),
    'tweet-detail': ({ restId }) =>
      ids.includes(restId!) ? { data: { tweet: { ...tweetEntry(restId!).content.tweet, author: nasa } } } : GONE,
  });
  await crawls.run('timeline', 'id:1');
  isClosed = true;
  const { crawl } = await crawls.run('timeline', target, { fullRefresh: true });
  const db = readerOf(crawls.store);
  return {
    ...crawls,
    crawl,
    completeAsOf: () => db.prepare('select complete_as_of from v_completeness').pluck().get(),
    db,
  };
}

describe('a timeline with stored tweets that shows none (invariant 5)', () => {
  it.each(emptyAnswers)('is closed, and no evidence: %s', async (_, answer) => {
    const { crawl, db, completeAsOf } = await crawlTwice(answer);
    expect(crawl).toMatchObject({ state: 'capped', reason: 'list_closed' });
    const [first] = db.prepare('select started_at from crawls').pluck().all() as number[];
    expect(Date.parse(completeAsOf() as string)).toBe(first);
  });

  it('is closed for a handle that is stored', async () => {
    const { crawl } = await crawlTwice(GONE, TWEETS, 'nasa');
    expect(crawl).toMatchObject({ state: 'capped', reason: 'list_closed' });
  });

  it('has no tweets if the service has none of the five newest', async () => {
    const { run, crawl, db } = await crawlTwice(GONE, []);
    const targets = db.prepare("select target from crawls where kind = 'tweet' order by id").pluck().all();
    expect(targets).toEqual(['19', '18', '17', '16', '15']);
    // A tweet of another owner, for a control request.
    await run('search', 'esa');
    for (const target of targets.slice(1) as string[]) await run('tweet', target, { isRecheck: true });
    expect(db.prepare('select reason from crawls where id = ?').pluck().get(crawl.id)).toBe('list_closed');
    await run('tweet', '19', { isRecheck: true });
    expect(db.prepare('select state, reason from crawls where id = ?').get(crawl.id)).toEqual({
      state: 'complete',
      reason: 'no_tweets',
    });
    expect(db.prepare("select count(*) from v_deleted_tweets where state = 'deleted'").pluck().get()).toBe(5);
  });

  it('stays closed if one of them exists', async () => {
    const { run, crawl, db } = await crawlTwice(GONE, ['17@7']);
    for (const target of ['19', '18', '17', '16', '15']) await run('tweet', target, { isRecheck: true });
    expect(db.prepare('select state, reason from crawls where id = ?').get(crawl.id)).toEqual({
      state: 'capped',
      reason: 'list_closed',
    });
  });

  it('asks for no tweet with --no-recheck', async () => {
    const crawls = await crawlTwice(GONE);
    await crawls.run('timeline', 'id:1', { recheck: false, fullRefresh: true });
    expect(crawls.db.prepare("select count(*) from crawls where kind = 'tweet'").pluck().get()).toBe(5);
  });
});

it('a timeline of an account without stored tweets is empty: complete', async () => {
  const { run } = await crawlAgainst({ 'user-tweets': () => timeline(nasa, [], null) });
  expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'served' });
});

it.each(['in_reply_to_status_id', 'in_reply_to_user_id', 'in_reply_to_screen_name'])(
  'a timeline is not expected to show a tweet with %s only: it is empty',
  async (field) => {
    const { run } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa', 1),
      search: () => ({ data: { timeline: listOf([tweetEntry('9', undefined, { author: nasa, [field]: '5' })]) } }),
      'user-tweets': () => GONE,
    });
    await run('search', 'x');
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', reason: 'no_tweets' });
  },
);

it('a list that answers 404 is not empty if its account is gone, although its profile is fresh', async () => {
  let isGone = false;
  const { run, asked } = await crawlAgainst({
    'user-profile': () => (isGone ? GONE : profile('1', 'nasa', 2)),
    // Two tweets alone make no interval.
    'user-tweets-replies': () =>
      isGone ? GONE : { data: { user: nasa, timeline: listOf([tweetEntry('9'), tweetEntry('8')]) } },
  });
  await run('replies', 'nasa');
  isGone = true;
  asked.length = 0;
  expect((await run('replies', 'id:1')).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
  expect(asked).toEqual(['user-tweets-replies 1', 'user-profile nasa', 'followers 1']);
});

it('a timeline of an account with a reply only, known by the tweet above it, has no tweets', async () => {
  const entries = [tweetEntry('12', undefined, { author: nasa })];
  const { run } = await crawlAgainst({
    'tweet-detail': () => ({
      data: { tweet: { ...tweetEntry('11').content.tweet, author: reference('2', 'esa'), replies: { entries } } },
    }),
    'user-tweets': () => timeline(nasa, [], null),
  });
  await run('tweet', '11');
  expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', reason: null });
});

it('replies of an account that counts tweets are closed if they show none', async () => {
  const empty = { data: { user: nasa, timeline: { instructions: [] } } };
  const { run } = await crawlAgainst({
    'user-profile': () => profile('1', 'nasa', 7),
    'user-tweets-replies': () => empty,
  });
  await run('profile', 'nasa');
  expect((await run('replies', 'id:1')).crawl).toMatchObject({ state: 'capped', reason: 'list_closed' });
});

const noReplies = (next: string | null): Answer => ({ data: { user: nasa, timeline: listOf([], next) } });
const CAPPED = { state: 'capped', reason: 'list_closed' };
const COMPLETE = { state: 'complete', reason: 'no_tweets' };

/** Lists that are empty although one tweet is stored, and their ends once the service has no such tweet. */
const emptyLists: readonly (readonly [string, 'timeline' | 'replies', (cursor?: string) => Answer, object])[] = [
  ['a timeline that the service ended', 'timeline', () => timeline(nasa, [], null), COMPLETE],
  ['a timeline with an inferred end', 'timeline', () => timeline(nasa, [], 'a'), CAPPED],
  ['replies that answer 404', 'replies', () => GONE, COMPLETE],
  ['replies with one page', 'replies', () => noReplies(null), CAPPED],
  ['replies with pages', 'replies', (cursor) => noReplies(cursor === undefined ? 'a' : null), CAPPED],
];

it.each(emptyLists)('a deleted tweet proves no end that the service did not give: %s', async (_, kind, answer, end) => {
  const { run, store } = await crawlAgainst({
    'user-profile': () => profile('1', 'nasa', 1),
    search: ({ rawQuery }) => ({
      data: {
        timeline: listOf([
          tweetEntry(rawQuery!, undefined, { author: rawQuery === '9' ? nasa : reference('2', 'esa') }),
        ]),
      },
    }),
    'user-tweets': ({ cursor }) => answer(cursor),
    'user-tweets-replies': ({ cursor }) => answer(cursor),
    'tweet-detail': ({ restId }) =>
      restId === '90'
        ? { data: { tweet: { ...tweetEntry('90').content.tweet, author: reference('2', 'esa') } } }
        : GONE,
  });
  await run('search', '9');
  const { crawl } = await run(kind, 'id:1');
  expect(crawl).toMatchObject(CAPPED);
  // A tweet of another owner, for a control request.
  await run('search', '90');
  expect((await run('tweet', '9', { isRecheck: true })).crawl).toMatchObject({ reason: 'deleted' });
  expect(readerOf(store).prepare('select state, reason from crawls where id = ?').get(crawl.id)).toEqual(end);
});
