import { describe, expect, it, onTestFinished } from 'vitest';
import { StoreError } from '#base/errors.ts';
import { MAX_FAILURES } from '#crawl/slice/failures/retry-policy.ts';
import type { PageCommit } from '#store/schema/commit-messages.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { readerOf } from '../store/support.ts';
import {
  coverageOf,
  crawlAgainst,
  dayText,
  followers,
  GONE,
  listOf,
  profile,
  reference,
  timeline,
  tweetEntry,
} from './support.ts';

const nasa = reference('1', 'nasa');
const person = (id: string) => reference(id, `s${id}`);

describe('a crawl', () => {
  it('looks a handle up once, follows the cursor to the end, and is complete', async () => {
    const { run, asked, store } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa'),
      'user-tweets': ({ cursor }) => (cursor ? timeline(nasa, ['10@1'], null) : timeline(nasa, ['12@3', '11@2'], 'A')),
    });
    const { crawl } = await run('timeline', '@NASA');
    const counts = { pages: 2, items: 3, newItems: 3, requests: 3 };
    expect(crawl).toMatchObject({ state: 'complete', ending: 'served', targetRestId: '1', ...counts });
    expect(asked).toEqual(['user-profile NASA', 'user-tweets 1', 'user-tweets 1 A']);
    expect(coverageOf(store)).toEqual({ intervals: ['12 10 served'], gaps: [] });
  });

  it('by id needs no profile first', async () => {
    const { run, asked } = await crawlAgainst({ 'user-tweets': () => timeline(nasa, ['12@3'], null) });
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', newItems: 1 });
    expect(asked).toEqual(['user-tweets 1']);
  });

  it('stops at --since and is complete down to it', async () => {
    const { run } = await crawlAgainst({
      'user-tweets': ({ cursor }) => timeline(nasa, cursor ? ['11@3', '10@2'] : ['13@9', '12@8'], cursor ? 'B' : 'A'),
    });
    const { crawl } = await run('timeline', 'id:1', { since: Date.UTC(2025, 0, 4) });
    expect(crawl).toMatchObject({ state: 'complete', ending: 'since', pages: 2 });
  });

  it('ends partial if an item was rejected, with its path and reason (invariants 5 and 11)', async () => {
    const { run, store } = await crawlAgainst({
      followers: () =>
        followers(nasa, [person('2'), { ...person('3'), id: {}, rest_id: 1.5 }, { ...person('4'), mood: 'odd' }], null),
    });
    const partial = { state: 'partial', reason: 'rejected_items', items: 2, rejectedItems: 1 };
    expect((await run('followers', 'id:1')).crawl).toMatchObject(partial);
    const db = readerOf(store);
    expect(db.prepare('select path, reason from rejects').all()).toEqual([
      {
        path: '/data/followers/timeline/instructions/0/entries/1/content/user/rest_id',
        reason: 'has the wrong type or form: number',
      },
    ]);
    expect(db.prepare('select field, sample from _drift').all()).toEqual([{ field: 'user.mood', sample: '"odd"' }]);
  });

  it('is complete with unreadable fields, keeps their known values and counts them (invariant 6)', async () => {
    let count: unknown = 12;
    const { run, store } = await crawlAgainst({
      followers: () => followers(nasa, [{ ...person('2'), followers_count: count, verified: true }, person('3')], null),
    });
    await run('followers', 'id:1');
    count = '13';
    const { crawl } = await run('followers', 'id:1');
    expect(crawl).toMatchObject({ state: 'complete', ending: 'served', items: 2, rejectedItems: 0 });
    const db = readerOf(store);
    const known = "select followers_count, verified from users where rest_id = '2'";
    expect(db.prepare(known).raw().get()).toEqual([12, 1]);
    const dropped = { endpoint: 'followers', field: 'summary.followers_count', occurrences: 1, sample: '"13"' };
    const columns = 'crawl_id, endpoint, field, reason, occurrences, sample';
    expect(db.prepare(`select ${columns} from _dropped_fields`).all()).toEqual([
      { ...dropped, crawl_id: crawl.id, reason: 'has the wrong type or form: string' },
    ]);
  });

  it('a tweet that is pinned in an instruction of its own is stored but is no item of the list', async () => {
    const { run, store } = await crawlAgainst({
      'user-tweets': () => {
        const page = timeline(nasa, ['14@5', '13@4', '12@3'], null) as {
          data: { timeline: { instructions: unknown[] } };
        };
        const tweet = { id: '7', text: 'pinned', created_at: '2024-01-01T00:00:00.000Z' };
        page.data.timeline.instructions.unshift(
          { type: 'TimelineClearCache' },
          { type: 'TimelinePinEntry', entry: { entryId: 'tweet-7', content: { tweet } } },
          { type: 'TimelineAddToModule', moduleItems: [{}] },
        );
        return page;
      },
    });
    const { crawl } = await run('timeline', 'id:1', { since: Date.UTC(2024, 5, 1) });
    expect(crawl).toMatchObject({ state: 'complete', ending: 'served', items: 3, rejectedItems: 0 });
    const db = readerOf(store);
    expect(db.prepare('select rest_id from tweets where author_id is not null order by 1').pluck().all()).toEqual([
      '12',
      '13',
      '14',
      '7',
    ]);
    expect(coverageOf(store)).toEqual({ intervals: ['14 12 served'], gaps: [] });
    expect(db.prepare('select field from _drift order by 1').pluck().all()).toEqual([
      'instruction (an item outside of the list)',
      'instruction.moduleItems (unknown key)',
      'instruction.type (unknown key)',
    ]);
  });

  it('keeps every body and records every request (invariant 10)', async () => {
    const { run, store, asked } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa'),
      followers: () => followers(nasa, [person('2')], null),
    });
    await run('followers', 'nasa');
    const db = readerOf(store);
    expect(db.prepare('select endpoint, parameters, status from raw_pages').all()).toEqual([
      { endpoint: 'user-profile', parameters: '{"screenName":"nasa"}', status: 200 },
      { endpoint: 'followers', parameters: '{"restId":"1"}', status: 200 },
    ]);
    expect(db.prepare('select count(*) from requests').pluck().get()).toBe(asked.length);
  });
});

describe('the account of a crawl', () => {
  it('a renamed account is followed by its id when nobody holds the handle', async () => {
    const { run, asked } = await crawlAgainst({
      'user-profile': (_, nth) => (nth === 1 ? profile('1', 'nasa') : GONE),
      followers: (_, nth) => followers(nth === 1 ? nasa : reference('1', 'nasa_new'), [person('2')], null),
    });
    await run('followers', 'nasa');
    const { crawl } = await run('followers', 'nasa', { maxPages: 9 });
    expect(crawl).toMatchObject({ state: 'complete', targetRestId: '1' });
    // The store knew the handle from the first crawl; the page showed another, so it was looked up again.
    expect(asked.slice(0, 4)).toEqual(['user-profile nasa', 'followers 1', 'followers 1', 'user-profile nasa']);
  });

  it('a handle with a new holder leads to that account, from its first page', async () => {
    const { run, asked, store } = await crawlAgainst({
      'user-profile': (_, nth) => profile(nth === 1 ? '1' : '9', 'nasa'),
      followers: ({ restId }, nth) =>
        restId === '9'
          ? followers(reference('9', 'nasa'), [person('5')], null)
          : followers(nth === 1 ? nasa : reference('1', 'gone'), [person('2')], nth === 1 ? null : 'A'),
    });
    await run('followers', 'nasa');
    const { crawl } = await run('followers', 'nasa', { maxPages: 9 });
    expect(crawl).toMatchObject({ state: 'complete', targetRestId: '9', pages: 1, cursor: null });
    expect(asked.slice(2)).toEqual(['followers 1', 'user-profile nasa', 'followers 9']);
    const edges =
      'select a.rest_id follower, b.rest_id followee from follows f join users a on a.id = follower_id join users b on b.id = followee_id';
    expect(readerOf(store).prepare(edges).all()).toEqual([
      { follower: '2', followee: '1' },
      { follower: '5', followee: '9' },
    ]);
  });

  it('a profile that is requested by id is found under its current handle', async () => {
    const { run, asked } = await crawlAgainst({
      'user-profile': ({ screenName }) => (screenName === 'now' ? profile('1', 'now') : GONE),
      followers: () => followers(reference('1', 'now'), [], null),
    });
    expect((await run('profile', 'id:1')).crawl).toMatchObject({ state: 'complete', targetRestId: '1', items: 1 });
    expect((await run('profile', 'id:1')).crawl).toMatchObject({ state: 'complete', requests: 1 });
    expect(asked).toEqual(['followers 1', 'user-profile now', 'user-profile now']);
  });

  it('a rejected profile fails the look-up of its handle with the reason (invariant 11)', async () => {
    const broken = { data: { ...(profile('1', 'nasa').data as object), id: { value: '1' } } };
    const { run } = await crawlAgainst({ 'user-profile': () => broken });
    expect((await run('timeline', 'nasa')).crawl).toMatchObject({
      state: 'failed',
      reason: 'contract_broken',
      rejectedItems: 1,
      error: 'user-profile: the profile of nasa cannot be stored: /data/id has the wrong type or form: object',
    });
  });

  it('a look-up of another status is drift, as a page is', async () => {
    const { run, store } = await crawlAgainst({
      'user-profile': () => ({ status: 206, body: JSON.stringify(profile('1', 'nasa')) }),
      'user-tweets': () => timeline(nasa, ['11@1'], null),
    });
    await run('timeline', 'nasa');
    const drift = readerOf(store).prepare('select endpoint, field from _drift').raw().all();
    expect(drift).toEqual([['user-profile', 'status 206']]);
  });

  it('the profile of another account under the handle is not accepted', async () => {
    const { run, store } = await crawlAgainst({
      'user-profile': ({ screenName }, nth) => {
        if (screenName === 'old') return profile(nth === 1 ? '1' : '9', 'old');
        return profile('1', 'new');
      },
      followers: () => followers(reference('1', 'new'), [], null),
    });
    await run('profile', 'old');
    expect((await run('profile', 'id:1')).crawl).toMatchObject({ state: 'complete', targetRestId: '1', requests: 3 });
    expect(readerOf(store).prepare('select rest_id, screen_name from users order by 1').all()).toEqual([
      { rest_id: '1', screen_name: 'new' },
      { rest_id: '9', screen_name: 'old' },
    ]);
  });

  it('a response about another user is not stored', async () => {
    const { run, store } = await crawlAgainst({
      followers: () => followers(reference('66', 'other'), [person('2')], null),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({
      state: 'failed',
      reason: 'contract_broken',
      error: 'followers: asked for user 1, the answer is about user 66',
    });
    expect(readerOf(store).prepare('select count(*) from users').pluck().get()).toBe(0);
  });
});

type Crawls = Awaited<ReturnType<typeof crawlAgainst>>;

/** A crawl that ended at its second page by a bug. */
const FAILED = { state: 'failed', reason: 'bug', cursor: 'A', pages: 1, requests: 1 + MAX_FAILURES };
/** The last page of a list comes with the profile of its owner. */
const UNSTORED = { ...FAILED, requests: 1 + 2 * MAX_FAILURES };

/** Runs a crawl that fails as often as it may, and returns its end. */
async function failUntilEnd(run: Crawls['run']): Promise<object> {
  const { crawl } = await run('followers', 'id:1');
  expect(crawl).toMatchObject({ state: 'paused', reason: 'retry', consecutiveFailures: 1 });
  for (let n = 2; n < MAX_FAILURES; n++) await run('followers', 'id:1');
  return (await run('followers', 'id:1')).crawl;
}

/** Replaces how pages are committed. */
function interceptCommits({ ports, store }: Crawls, commit: (page: PageCommit) => PageCommit): void {
  const commitPage = async (page: PageCommit) => await store.write.commitPage(commit(page));
  Object.assign(ports, { store: { ...store, write: { ...store.write, commitPage } } });
}

describe('when the service does not give the page', () => {
  it('404 on a timeline of an existing account means no tweets: complete', async () => {
    const { run } = await crawlAgainst({ 'user-profile': () => profile('1', 'nasa', 0) });
    expect((await run('timeline', 'nasa')).crawl).toMatchObject({ state: 'complete', reason: 'no_tweets', items: 0 });
  });

  it('404 on a timeline that had tweets does not count as one without tweets (invariant 5)', async () => {
    let there: 'all' | 'account' | 'nobody' = 'all';
    const { run, asked } = await crawlAgainst({
      'user-profile': () => (there === 'nobody' ? GONE : profile('1', 'nasa')),
      'user-tweets': () => (there === 'all' ? timeline(nasa, ['11@3', '10@2'], null) : GONE),
    });
    expect((await run('timeline', 'nasa')).crawl).toMatchObject({ state: 'complete', items: 2 });
    there = 'account';
    const closed = { state: 'capped', reason: 'list_closed', requests: 2 };
    expect((await run('timeline', 'nasa')).crawl).toMatchObject(closed);
    there = 'nobody';
    // Nobody has the handle: the account may only be renamed, which its id tells.
    expect((await run('timeline', 'nasa')).crawl).toMatchObject({ state: 'failed', reason: 'not_found', requests: 3 });
    expect(asked.slice(-3)).toEqual(['user-tweets 1', 'user-profile nasa', 'followers 1']);
  });

  it('404 for the handle means that it does not exist: failed, after one request', async () => {
    const { run, asked, store } = await crawlAgainst({});
    const notFound = { state: 'failed', reason: 'not_found', requests: 1 };
    expect((await run('timeline', 'nobody')).crawl).toMatchObject(notFound);
    expect(asked).toEqual(['user-profile nobody']);
    expect(readerOf(store).prepare('select status from raw_pages').pluck().all()).toEqual([404]);
  });

  describe('a bug costs a few requests, not the quota, and keeps what was stored', () => {
    const script = {
      followers: ({ cursor }: Record<string, string>) =>
        followers(nasa, [person(cursor ? '3' : '2')], cursor ? null : 'A'),
    };
    const planted = (): never => {
      throw new TypeError('planted');
    };
    const failed = { ...FAILED, error: 'planted' };

    it('in crawlPage', async () => {
      const { run, ports } = await crawlAgainst(script);
      const { client } = ports;
      const fetch: typeof client.fetch = async (endpoint, parameters, signal) => {
        const answer = await client.fetch(endpoint, parameters, signal);
        return parameters['cursor'] ? Object.defineProperty({ ...answer }, 'raw', { get: planted }) : answer;
      };
      Object.assign(ports, { client: { ...client, fetch } });
      expect(await failUntilEnd(run)).toMatchObject(failed);
    });

    it('while a page is stored', async () => {
      const crawls = await crawlAgainst(script);
      interceptCommits(crawls, (page) => (page.requestCursor !== null && page.progress.pages > 0 ? planted() : page));
      expect(await failUntilEnd(crawls.run)).toMatchObject({ ...UNSTORED, error: 'planted' });
    });
  });

  describe('a page that cannot be stored', () => {
    const script = {
      followers: ({ cursor }: Record<string, string>) =>
        followers(nasa, [person(cursor ? '3' : '2')], cursor ? null : 'A'),
    };

    it('because of a TypeError in the writer thread is requested eight times and ends the crawl as a bug', async () => {
      const crawls = await crawlAgainst(script, { threaded: true });
      const users = [{ restId: '3', detailLevel: 'summary', name: {} as never } as const];
      interceptCommits(crawls, (page) =>
        page.requestCursor === null || page.progress.pages === 0 ? page : { ...page, rows: { ...page.rows, users } },
      );
      expect(await failUntilEnd(crawls.run)).toMatchObject(UNSTORED);
    });

    it.each([true, false])(
      'because of a constraint of the database ends the same way (thread: %s)',
      async (threaded) => {
        const { run, store } = await crawlAgainst(script, { threaded });
        const { $client } = openDatabase(store.path);
        onTestFinished(() => void $client.close());
        $client.exec(`create trigger refuse before insert on users when new.screen_name = 's3'
        begin select raise(abort, 'not this one'); end`);
        expect(await failUntilEnd(run)).toMatchObject({ ...UNSTORED, error: 'not this one' });
      },
    );
  });

  it('a locked database does not count as a failure of the crawl (invariant 14)', async () => {
    const crawls = await crawlAgainst({ followers: () => followers(nasa, [person('2')], null) });
    const { run, store } = crawls;
    let isLocked = true;
    interceptCommits(crawls, (page) => {
      if (isLocked) throw new StoreError('database is locked', { failure: 'unavailable' });
      return page;
    });
    for (let n = 0; n <= MAX_FAILURES; n++)
      await expect(run('followers', 'id:1')).rejects.toThrow('database is locked');
    expect(store.read.crawl(1)).toMatchObject({ consecutiveFailures: 0, finishedAt: null });
    isLocked = false;
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'complete' });
  });

  it('401 stops all crawls and keeps them', async () => {
    const { run } = await crawlAgainst({
      followers: ({ cursor }) => (cursor ? { status: 401 } : followers(nasa, [person('2')], 'A')),
    });
    const { crawl, slice } = await run('followers', 'id:1');
    expect(slice.next).toBe('stop');
    expect(crawl).toMatchObject({ state: 'paused', reason: 'unauthorized', cursor: 'A', finishedAt: null });
  });

  it('429 pauses the priority without a retry (invariant 8)', async () => {
    const { run } = await crawlAgainst({ followers: () => ({ status: 429 }) });
    const { crawl, slice } = await run('followers', 'id:1');
    expect(slice).toMatchObject({ next: 'pause_priority', priority: 'interactive' });
    expect(crawl).toMatchObject({ state: 'paused', reason: 'refused', consecutiveFailures: 0, requests: 1 });
  });

  it.each(['{"error":"upstream timed out"}', '{"data":null}', '[]'])(
    'a 200 without an object data is an outage, and not a failure of the crawl (invariant 14): %s',
    async (body) => {
      const { run } = await crawlAgainst({ followers: () => ({ status: 200, body }) });
      for (let n = 0; n < MAX_FAILURES; n++) await run('followers', 'id:1');
      const { crawl } = await run('followers', 'id:1');
      expect(crawl).toMatchObject({ state: 'paused', reason: 'outage', consecutiveFailures: 0 });
    },
  );

  it('a response of another form fails the crawl and names the deviation', async () => {
    const { run } = await crawlAgainst({ followers: () => ({ data: { followers: [] } }) });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({
      state: 'failed',
      error: 'followers: /data/followers/timeline should be an object, is undefined',
    });
  });
});

it('a page of a stale lease is not stored, but its request is recorded (invariants 3 and 8)', async () => {
  let steal = async (): Promise<unknown> => undefined;
  const { run, store } = await crawlAgainst({
    followers: async () => {
      await steal();
      return followers(nasa, [person('2')], null);
    },
  });
  steal = () => store.write.takeLease(1, 5);
  const { crawl, slice } = await run('followers', 'id:1');
  expect(slice.next).toBe('done');
  expect(crawl).toMatchObject({ state: 'running', pages: 0, items: 0, requests: 2 });
  const db = readerOf(store);
  expect(db.prepare('select count(*) from users').pluck().get()).toBe(0);
  expect(db.prepare('select crawl_id, endpoint, status from requests').all()).toEqual([
    { crawl_id: 1, endpoint: 'followers', status: 200 },
    { crawl_id: 1, endpoint: 'user-profile', status: 404 },
  ]);
});

it('before a request is sent, the store has the maximum number in flight', async () => {
  const seen: (number | undefined)[] = [];
  const { run, store } = await crawlAgainst({
    'user-profile': () => (seen.push(store.read.crawl(1)?.inFlightRequests), profile('1', 'nasa')),
    'user-tweets': ({ cursor }) => {
      seen.push(store.read.crawl(1)?.inFlightRequests);
      return timeline(nasa, cursor ? ['10@1'] : ['12@3'], cursor ? null : 'A');
    },
  });
  const { crawl } = await run('timeline', 'nasa');
  // Twice what a step of a timeline sends: the page, a control request, and three requests to find its account again.
  expect(seen).toEqual([10, 10, 10]);
  expect(crawl).toMatchObject({ inFlightRequests: 0, unknownRequests: 0, requests: 3 });
});

describe('the end of a list over HTTP (invariant 4)', () => {
  it('a page that equals the one before is requested once more after a while, by POST', async () => {
    const { run, asked } = await crawlAgainst({
      followers: ({ cursor }, nth) =>
        nth === 2
          ? followers(nasa, [person('2')], 'A')
          : followers(nasa, [person(cursor ? '3' : '2')], cursor ? null : 'A'),
    });
    const { slice, crawl } = await run('followers', 'id:1');
    expect(slice.next).toBe('wait');
    expect(crawl).toMatchObject({ state: 'paused', reason: 'retry', cursor: 'A', pages: 1, items: 1 });
    const whole = { state: 'complete', ending: 'served', pages: 2, items: 2, consecutiveFailures: 0 };
    expect((await run('followers', 'id:1')).crawl).toMatchObject(whole);
    expect(asked.filter((one) => one.startsWith('followers'))).toHaveLength(3);
  });

  it('a client that sends parameters by POST does so for look-ups and pages (spec, General rules)', async () => {
    const { run, methods } = await crawlAgainst(
      {
        'user-profile': () => profile('1', 'nasa'),
        'user-tweets': ({ cursor }) => timeline(nasa, [cursor ? '11@1' : '12@2'], cursor ? null : 'A'),
      },
      { method: 'POST' },
    );
    expect((await run('timeline', 'nasa')).crawl).toMatchObject({ state: 'complete', pages: 2 });
    expect(methods).toEqual(['POST', 'POST', 'POST']);
  });

  it('an ignored cursor is detected at the second page, and the crawl resumes there', async () => {
    const { run, asked } = await crawlAgainst({
      followers: (_, nth) => followers(nasa, [person('2'), person('3')], `c${nth}`),
    });
    const ignored = { state: 'partial', reason: 'cursor_ignored', cursor: 'c1', items: 4, newItems: 2 };
    await run('followers', 'id:1');
    expect((await run('followers', 'id:1')).crawl).toMatchObject(ignored);
    expect(asked).toHaveLength(3);
  });

  it('an endpoint that ignored the cursors of two accounts gets none for an hour (invariant 9)', async () => {
    const { run, asked } = await crawlAgainst({
      'community-tweets': () => ({
        data: {
          community: { id: '7', name: 'c', description: '' },
          tweets: listOf([tweetEntry('70')], `c${asked.length}`),
        },
      }),
    });
    for (const target of ['7', '8']) {
      await run('community', target);
      const ignored = { state: 'partial', reason: 'cursor_ignored', pages: 2 };
      expect((await run('community', target)).crawl).toMatchObject(ignored);
    }
    expect((await run('community', '9')).crawl).toMatchObject({ state: 'partial', reason: 'cursor_ignored', pages: 1 });
    expect(asked).toHaveLength(7);
  });

  it('a resumed crawl whose cursor works is a success between two accounts', async () => {
    let isDeaf = true;
    const { run, store, asked } = await crawlAgainst({
      'community-tweets': ({ cursor }) => ({
        data: {
          community: { id: '7', name: 'c', description: '' },
          tweets: cursor && !isDeaf ? listOf([tweetEntry('69')], null) : listOf([tweetEntry('70')], `c${asked.length}`),
        },
      }),
    });
    await run('community', '7');
    const { crawl } = await run('community', '7');
    expect(crawl).toMatchObject({ state: 'partial', reason: 'cursor_ignored' });
    isDeaf = false;
    await store.write.resumeCrawls([{ id: crawl.id, options: crawl.options }], Date.now());
    expect((await run('community', '7')).crawl).toMatchObject({ id: crawl.id, pages: 3 });
    isDeaf = true;
    await run('community', '8');
    expect((await run('community', '8')).crawl).toMatchObject({ reason: 'cursor_ignored', pages: 2 });
    // One account is not two: the cursor is sent.
    expect((await run('community', '9')).crawl).toMatchObject({ state: 'paused', reason: 'retry', pages: 1 });
  });

  it('a list without cursors has one page and no known end (invariant 5)', async () => {
    const { run, store } = await crawlAgainst({
      'user-tweets-replies': () => ({
        data: {
          user: nasa,
          timeline: listOf([5, 4, 3, 2].map((day) => tweetEntry(`70${day}`, dayText(day)))),
        },
      }),
    });
    expect((await run('replies', 'id:1')).crawl).toMatchObject({ state: 'capped', ending: 'one_page' });
    expect(coverageOf(store)).toEqual({ intervals: ['705 703 '], gaps: ['703 - one_page'] });
  });

  it('two empty pages with new cursors are an inferred end', async () => {
    const { run } = await crawlAgainst({
      followers: (_, nth) => followers(nasa, nth === 1 ? [person('2')] : [], `c${nth}`),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'capped', ending: 'inferred', pages: 3 });
  });
});
