import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { createRecheckSpec } from '#service/kinds/crawl-spec.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import { readerOf } from '../store/support.ts';
import { crawlAgainst, followers, GONE, profile, reference, type Script, timeline } from './support.ts';

const VERIFY: CrawlOptions = { isRecheck: true };

/** The accounts of a service: handles by id. Nobody is gone at first. */
async function accounts(handles: Record<string, string>, more: Script = {}) {
  const idOf = (handle: string) => Object.keys(handles).find((id) => handles[id] === handle);
  const crawls = await crawlAgainst({
    'user-profile': ({ screenName }) => {
      const id = idOf(screenName!);
      return id === undefined ? GONE : profile(id, screenName!);
    },
    followers: ({ restId }) =>
      handles[restId!] === undefined ? GONE : followers(reference(restId!, handles[restId!]!), [], null),
    ...more,
  });
  const query = (sql: string) => readerOf(crawls.store).prepare(sql).raw().all();
  return {
    ...crawls,
    handles,
    recheck: async (id: string) => (await crawls.run('profile', `id:${id}`, VERIFY)).crawl,
    unavailable: () => query('select rest_id from v_unavailable_accounts'),
    restored: () => query('select type, rest_id from v_restored'),
  };
}

test('a re-check of an account that is gone ends with the answer of the service, by its id', async () => {
  const { run, handles, recheck, asked, unavailable, restored } = await accounts({ '1': 'ada' });
  await run('profile', 'ada');
  delete handles['1'];
  expect(await recheck('1')).toMatchObject({ state: 'complete', reason: 'unavailable', ending: 'served', requests: 2 });
  expect(asked.slice(1)).toEqual(['user-profile ada', 'followers 1']);
  expect(unavailable()).toEqual([['1']]);
  // It comes back under its id.
  handles['1'] = 'ada_again';
  expect(await recheck('1')).toMatchObject({ state: 'complete', reason: null });
  expect(unavailable()).toEqual([]);
  expect(restored()).toEqual([['account', '1']]);
});

test('a handle that another account has now does not make an account unavailable', async () => {
  const { run, handles, recheck, store, unavailable } = await accounts({ '1': 'ada' });
  await run('profile', 'ada');
  handles['1'] = 'ada_then';
  handles['2'] = 'ada';
  expect(await recheck('1')).toMatchObject({ state: 'complete', reason: null, targetRestId: '1' });
  expect(unavailable()).toEqual([]);
  expect(readerOf(store).prepare('select rest_id, screen_name from users order by rest_id').raw().all()).toEqual([
    ['1', 'ada_then'],
    ['2', 'ada'],
  ]);
});

test('a handle that is gone between two requests is asked for again', async () => {
  let isGone = false;
  const { run, handles, recheck, unavailable } = await accounts(
    { '1': 'ada' },
    {
      followers: () => {
        // The account changes its handle while it is looked up.
        if (handles['1'] === 'ada_2') handles['1'] = 'ada_3';
        isGone = true;
        return followers(reference('1', 'ada_2'), [], null);
      },
    },
  );
  await run('profile', 'ada');
  handles['1'] = 'ada_2';
  expect(await recheck('1')).toMatchObject({ state: 'paused' });
  expect(isGone).toBe(true);
  expect(unavailable()).toEqual([]);
});

test('a list of an account that is gone is an answer, too; one of an account without tweets is not', async () => {
  const shown = { '1': ['7@3'], '2': ['8@3'] };
  const tweets: Record<string, readonly string[]> = { ...shown };
  const { run, handles, store, unavailable } = await accounts(
    { '1': 'ada', '2': 'bob' },
    {
      'user-tweets': ({ restId }) =>
        tweets[restId!] === undefined ? GONE : timeline(reference(restId!, handles[restId!]!), tweets[restId!]!, null),
    },
  );
  for (const id of ['1', '2']) await run('timeline', `id:${id}`);
  delete tweets['1'];
  delete tweets['2'];
  delete handles['1'];
  const since = Date.now() - 1000 * DAY;
  const read = async (id: string) => (await run('timeline', `id:${id}`, { ...VERIFY, fullRefresh: true, since })).crawl;
  expect(await read('1')).toMatchObject({ state: 'complete', reason: 'unavailable' });
  // Its tweet is asked for before the list counts as one without tweets.
  expect(await read('2')).toMatchObject({ state: 'capped', reason: 'list_closed' });
  expect(unavailable()).toEqual([['1']]);
  // Neither is evidence that a tweet was deleted (invariant 7).
  expect(readerOf(store).prepare("select * from v_deleted_tweets where state = 'deleted'").all()).toEqual([]);
});

test('without a re-check, a crawl of an account that is gone fails', async () => {
  const { run, handles } = await accounts({ '1': 'ada' });
  await run('profile', 'ada');
  delete handles['1'];
  expect((await run('profile', 'id:1')).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
  expect((await run('tweet', '5')).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
  const { kind, target, options } = createRecheckSpec('tweet', '5');
  expect((await run(kind, target, JSON.parse(options) as CrawlOptions)).crawl).toMatchObject({ reason: 'deleted' });
});
