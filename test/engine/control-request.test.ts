import { expect, it } from 'vitest';
import { MINUTE } from '#base/clock.ts';
import { readerOf } from '../store/support.ts';
import { type Answer, crawlAgainst, followers, GONE, listOf, profile, reference, tweetEntry } from './support.ts';

const FORBIDDEN: Answer = { status: 403, body: '{}' };
const anna = reference('1', 'anna');
const bea = reference('2', 'bea');
const TWEETS = ['11', '12', '13', '14', '15', '16', '17', '18'];

/** A store with tweets of one account, and one of another. */
async function tweets({ shown = [...TWEETS, '90'] }: { readonly shown?: readonly string[] } = {}) {
  const service = { answers: new Map<string, Answer>(), all: undefined as Answer | undefined };
  const crawls = await crawlAgainst({
    search: () => ({
      data: {
        timeline: listOf(shown.map((id) => tweetEntry(id, undefined, { author: id === '90' ? bea : anna }))),
      },
    }),
    'tweet-detail': ({ restId = '' }) =>
      service.all ??
      service.answers.get(restId) ?? {
        data: { tweet: { ...tweetEntry(restId).content.tweet, author: restId === '90' ? bea : anna } },
      },
  });
  const { run, asked, store } = crawls;
  await run('search', 'x');
  asked.length = 0;
  const db = readerOf(store);
  return {
    ...crawls,
    service,
    check: (id: string) => run('tweet', id, { isRecheck: true }),
    deleted: () => db.prepare("select rest_id from v_deleted_tweets where state = 'deleted' order by id").pluck().all(),
    states: () => db.prepare("select distinct state, reason from crawls where kind = 'tweet'").raw().all(),
  };
}

it('deletions are confirmed by 404s with a control request before every fourth in a row', async () => {
  const { service, check, deleted, asked } = await tweets();
  for (const id of TWEETS) service.answers.set(id, GONE);
  for (const id of TWEETS) await check(id);
  expect(deleted()).toEqual(TWEETS);
  const requested = asked.map((one) => one.split(' ')[1]);
  expect(requested).toEqual(['11', '12', '13', '14', '90', '15', '16', '17', '90', '18']);
});

it('a page of the endpoint starts the count again', async () => {
  const { service, check, asked } = await tweets();
  for (const id of TWEETS.slice(0, 3)) service.answers.set(id, GONE);
  for (const id of TWEETS.slice(0, 4)) await check(id);
  service.answers.set('15', GONE);
  await check('15');
  expect(asked).not.toContain('tweet-detail 90');
});

it('an endpoint that answers 404 to everything is held, confirms no more, and resumes by itself', async () => {
  const { service, check, deleted, states, asked, pass } = await tweets();
  service.all = GONE;
  for (const id of TWEETS) await check(id);
  expect(deleted()).toEqual(TWEETS.slice(0, 3));
  expect(states()).toEqual([
    ['complete', 'deleted'],
    ['paused', 'outage'],
    ['queued', null],
  ]);
  // Three confirmations, one more 404 with its control request, and nothing while the endpoint is held.
  expect(asked).toHaveLength(5);
  pass(5 * MINUTE);
  await check('15');
  expect(asked.slice(5)).toEqual([expect.not.stringContaining(' 15')]);
  service.all = undefined;
  service.answers.set('14', GONE);
  for (const id of TWEETS.slice(3)) {
    pass(MINUTE);
    await check(id);
  }
  expect(deleted()).toEqual(TWEETS.slice(0, 4));
  expect(states()).toEqual([
    ['complete', 'deleted'],
    ['capped', null],
  ]);
});

it('without another owner, a tweet of the same one is requested; without any, the crawl is its own probe', async () => {
  const { service, check, deleted, pass, asked } = await tweets({ shown: TWEETS.slice(0, 5) });
  service.all = GONE;
  for (const id of TWEETS.slice(0, 4)) await check(id);
  expect(asked.at(-1)).toBe('tweet-detail 15');
  service.all = undefined;
  service.answers.set('14', GONE);
  pass(MINUTE);
  await check('14');
  expect(deleted()).toEqual(TWEETS.slice(0, 4));

  const alone = await tweets({ shown: TWEETS.slice(0, 4) });
  alone.service.all = GONE;
  for (const id of TWEETS.slice(0, 4)) await alone.check(id);
  alone.pass(MINUTE);
  expect((await alone.check('14')).crawl).toMatchObject({ state: 'paused', reason: 'outage' });
  expect(alone.deleted()).toEqual(TWEETS.slice(0, 3));
  alone.service.all = undefined;
  alone.pass(MINUTE);
  expect((await alone.check('14')).crawl).toMatchObject({ state: 'capped' });
  expect(alone.asked.slice(3)).toEqual(Array(3).fill('tweet-detail 14'));
});

it('an endpoint is served again, although the only target of its control requests is gone by now', async () => {
  const { service, check, deleted, pass } = await tweets({ shown: [...TWEETS.slice(0, 4), '90'] });
  service.all = GONE;
  for (const id of TWEETS.slice(0, 4)) await check(id);
  service.all = undefined;
  service.answers.set('90', GONE);
  for (let probes = 0; probes < 2; probes++) {
    pass(MINUTE);
    await check('14');
  }
  expect((await check('14')).crawl).toMatchObject({ state: 'capped' });
  expect(deleted()).toEqual(TWEETS.slice(0, 3));
});

it('crawls that end at the same time confirm no more than three without a control request', async () => {
  const { service, check, deleted } = await tweets();
  service.all = GONE;
  await Promise.all(TWEETS.map(check));
  expect(deleted().length).toBeLessThanOrEqual(3);
});

it('a 404 for a tweet that is not stored confirms nothing, and needs no control request', async () => {
  const { service, run, asked } = await tweets();
  service.all = GONE;
  for (const id of ['51', '52', '53', '54', '55'])
    expect((await run('tweet', id)).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
  expect(asked).toHaveLength(5);
});

/** A store with six accounts, which a list of followers showed. */
async function accounts() {
  const service = { profile: undefined as Answer | undefined, followers: undefined as Answer | undefined };
  const user = (id: string) => ({ content: { user: { ...reference(id, `user${id}`), description: '' } } });
  const members = ['1', '2', '3', '4', '5', '6'];
  const crawls = await crawlAgainst({
    'user-profile': ({ screenName = '' }) => service.profile ?? profile(screenName.slice(4), screenName),
    followers: ({ restId = '' }) =>
      service.followers ?? {
        data: { user: reference(restId, `user${restId}`), followers: { timeline: listOf(members.map(user)) } },
      },
  });
  await crawls.run('followers', 'id:9');
  crawls.asked.length = 0;
  const db = readerOf(crawls.store);
  return {
    ...crawls,
    service,
    members,
    check: (id: string) => crawls.run('profile', `id:${id}`, { isRecheck: true }),
    gone: () => db.prepare('select rest_id from v_unavailable_accounts order by rest_id').pluck().all(),
    failed: () => db.prepare("select id from crawls where state = 'failed'").pluck().all(),
  };
}

it('accounts are not unavailable because the service answers 404 to everything', async () => {
  const { service, members, check, gone, failed, pass } = await accounts();
  service.profile = GONE;
  service.followers = GONE;
  for (const id of members) await check(id);
  expect(gone()).toEqual(['1', '2', '3']);
  service.profile = undefined;
  service.followers = undefined;
  for (const id of members) {
    pass(5 * MINUTE);
    await check(id);
  }
  expect(gone()).toEqual([]);
  expect(failed()).toEqual([]);
});

it('no look-up fails because user-profile answers 404 to handles that followers shows', async () => {
  const { service, check, gone, failed, pass, asked } = await accounts();
  service.profile = GONE;
  expect((await check('1')).crawl).toMatchObject({ state: 'paused', reason: 'outage' });
  for (let n = 0; n < 10; n++) {
    pass(5 * MINUTE);
    await check('1');
  }
  expect([gone(), failed()]).toEqual([[], []]);
  // Two before the hold; then its own turn comes once in a round of the accounts that are stored.
  expect(asked.filter((one) => one === 'user-profile user1')).toHaveLength(4);
  service.profile = undefined;
  pass(5 * MINUTE);
  expect((await check('1')).crawl).toMatchObject({ state: 'complete', reason: null });
});

it('a 403 is the target’s if the endpoint still serves a target that it served before', async () => {
  const { service, run, asked } = await tweets();
  await run('tweet', '90');
  service.answers.set('12', FORBIDDEN);
  expect((await run('tweet', '12')).crawl).toMatchObject({ state: 'failed', reason: 'forbidden' });
  expect(asked).toEqual(['tweet-detail 90', 'tweet-detail 12', 'tweet-detail 90']);
});

it('a 403 for the control request, too, is a hold, which the control request probes', async () => {
  const { service, run, asked, pass } = await tweets();
  await run('tweet', '90');
  service.all = FORBIDDEN;
  for (const id of TWEETS) await run('tweet', id);
  expect(asked.slice(1)).toEqual(['tweet-detail 11', 'tweet-detail 90']);
  pass(5 * MINUTE);
  expect((await run('tweet', '12')).crawl).toMatchObject({ finishedAt: null });
  expect(asked.slice(3)).toEqual(['tweet-detail 12', 'tweet-detail 90']);
  pass(5 * MINUTE);
  expect((await run('tweet', '12')).crawl).toMatchObject({ finishedAt: null });
  expect(asked.slice(5)).toEqual(['tweet-detail 90']);
  service.all = undefined;
  for (const id of TWEETS) {
    pass(MINUTE);
    expect((await run('tweet', id)).crawl).toMatchObject({ state: 'capped' });
  }
});

it('a list without items that was served is a control, one that was not is none', async () => {
  for (const [served, asked] of [
    [{ data: { user: { ...anna, __typename: 'UserUnavailable' }, following: { timeline: listOf([]) } } }, ['2', '1']],
    [GONE, ['2']],
  ] as const) {
    const crawls = await crawlAgainst({
      'user-profile': ({ screenName = '' }) => profile(screenName === 'anna' ? '1' : '2', screenName),
      following: ({ restId = '' }) => (restId === '1' ? served : FORBIDDEN),
    });
    await crawls.run('following', 'id:1');
    crawls.asked.length = 0;
    expect((await crawls.run('following', 'id:2')).crawl).toMatchObject({ state: 'failed', reason: 'forbidden' });
    expect(crawls.asked.filter((one) => one.startsWith('following'))).toEqual(asked.map((id) => `following ${id}`));
  }
});

it('a list whose only response was incomplete is a control', async () => {
  const { run, asked } = await crawlAgainst({
    search: () => ({ data: { timeline: listOf([tweetEntry('11', undefined, { author: anna })]) } }),
    followers: ({ restId = '' }) =>
      restId === '1' ? ({ ...followers(anna, [bea], null), errors: ['x'] } as unknown as Answer) : FORBIDDEN,
  });
  await run('search', 'x');
  expect((await run('followers', 'anna', {}, { perRun: 1 })).crawl).toMatchObject({ pages: 0, reason: 'max_requests' });
  asked.length = 0;
  expect((await run('followers', 'id:2')).crawl).toMatchObject({ state: 'failed', reason: 'forbidden' });
  expect(asked).toEqual(['followers 2', 'followers 1']);
});

it('an account that was looked up is a control', async () => {
  const { run, asked } = await crawlAgainst({
    'user-profile': () => profile('1', 'anna'),
    followers: ({ restId = '' }) => (restId === '1' ? followers(anna, [bea], null) : FORBIDDEN),
  });
  await run('profile', 'id:1');
  expect((await run('followers', 'id:2')).crawl).toMatchObject({ state: 'failed', reason: 'forbidden' });
  expect(asked).toEqual(['followers 1', 'user-profile anna', 'followers 2', 'followers 1']);
});

it('a 403 is the target’s if the endpoint has served no other target', async () => {
  const { service, run, asked } = await tweets();
  service.all = FORBIDDEN;
  expect((await run('tweet', '12')).crawl).toMatchObject({ state: 'failed', reason: 'forbidden' });
  expect(asked).toEqual(['tweet-detail 12']);
});
