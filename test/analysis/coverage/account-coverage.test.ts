import { describe, expect, it, onTestFinished } from 'vitest';
import { computeScore, formatScore, readCountPair } from '#analysis/account-counts.ts';
import type { AccountCoverage } from '#analysis/coverage/coverage-model.ts';
import { DAY, MINUTE } from '#base/clock.ts';
import { NEW_CHECKPOINT } from '#service/kinds/checkpoint.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { progressOf, rows, tweet, user } from '../../store/support.ts';
import { day, edges, INFERRED, MAX_PAGES, NO_TWEETS, ONE_PAGE, SERVED, storeOfAccount } from './account-store.ts';

const inDays = (at: number): number => (at - day(0)) / DAY;

const segmentsOf = ({ orderedLists }: AccountCoverage, kind = 'timeline'): string[] =>
  orderedLists
    .find((list) => list.kind === kind)!
    .segments.map(({ from, to, state, reason }) =>
      [`${inDays(from)}-${inDays(to)}`, state, reason ?? ''].join(' ').trim(),
    );
const reasonsOf = ({ difference }: { difference: readonly { reason: string; count: number | null }[] }) =>
  difference.map(({ reason, count }) => (count === null ? reason : `${reason} ${count}`));

describe('the coverage of a timeline', () => {
  it('is complete from the creation of the account to the last check, if the service ended the list', async () => {
    const { profile, timeline, read } = storeOfAccount();
    await profile(day(99), 3);
    await timeline(day(100), SERVED, [90, 50, 40]);
    const coverage = read();
    expect(segmentsOf(coverage)).toEqual(['0-100 complete']);
    expect(coverage.orderedLists[0]).toMatchObject({
      state: 'collected',
      axis: {
        from: day(0),
        to: day(100),
        isFromKnown: true,
      },
      stored: 3,
      reported: null,
      reportedAt: null,
      difference: [{ reason: 'not_compared' }],
    });
  });

  it('has an open past of its true length after one page', async () => {
    const { profile, timeline, read } = storeOfAccount();
    await profile(day(100), 1344);
    const id = await timeline(day(100), MAX_PAGES, [99, 95, 90]);
    const coverage = read();
    expect(segmentsOf(coverage)).toEqual(['0-90 gap max_pages', '90-100 complete']);
    const [list] = coverage.orderedLists;
    expect(list).toMatchObject({ stored: 3, reported: null, segments: [{ crawlId: id }, { pages: 1, items: 3 }] });
    expect(reasonsOf(list!)).toEqual(['not_compared', 'max_pages 1']);
  });

  it('is not complete before an inferred end, nor before the last page of replies', async () => {
    const { profile, timeline, read } = storeOfAccount();
    await profile(day(99), 3);
    // The oldest tweet is trusted only with the one above it: a single one may be out of its place.
    await timeline(day(100), INFERRED, [90, 50, 40]);
    await timeline(day(100) + 1000, ONE_PAGE, [90, 60, 30], 'replies');
    const coverage = read();
    expect(segmentsOf(coverage)).toEqual(['0-50 unknown inferred_end', '50-100 complete']);
    expect(segmentsOf(coverage, 'replies')[0]).toBe('0-30 gap one_page');
  });

  it('does not grow by a crawl that does not show the top of the list', async () => {
    const { profile, timeline, crawl, read } = storeOfAccount();
    await profile(day(99), 3);
    await timeline(day(100), SERVED, [90, 50, 40]);
    await crawl(
      day(110),
      'timeline',
      { state: 'failed', reason: 'unreachable' },
      { progress: progressOf({ pages: 0 }) },
    );
    expect(segmentsOf(read())).toEqual(['0-100 complete']);
    const unordered = { ...NEW_CHECKPOINT, scan: 'unordered' as const };
    const progress = progressOf({ targetRestId: '1', items: 2, checkpoint: unordered });
    await crawl(day(120), 'timeline', MAX_PAGES, { progress });
    expect(segmentsOf(read())).toEqual(['0-100 complete', '100-120 gap out_of_order']);
  });

  it('is complete for an empty list that was collected', async () => {
    const { profile, crawl, read } = storeOfAccount();
    await profile(day(99), 0);
    expect(read().orderedLists.map(({ state }) => state)).toEqual(['not collected', 'not collected']);
    await crawl(day(100), 'timeline', NO_TWEETS, { progress: progressOf({ targetRestId: '1' }) });
    const coverage = read();
    expect(segmentsOf(coverage)).toEqual(['0-100 complete']);
    expect(coverage.orderedLists.map((list) => [list.state, reasonsOf(list)])).toEqual([
      ['collected', ['not_compared']],
      ['not collected', []],
    ]);
  });

  it('is unknown for an empty list of an account with tweets: it may be closed', async () => {
    const { profile, timeline, crawl, read } = storeOfAccount();
    await profile(day(99), 500);
    await crawl(day(100), 'timeline', NO_TWEETS, { progress: progressOf({ targetRestId: '1' }) });
    expect(segmentsOf(read())).toEqual(['0-100 unknown list_closed']);
    await timeline(day(101), SERVED, [90, 50, 40]);
    await crawl(day(110), 'timeline', NO_TWEETS, { progress: progressOf({ targetRestId: '1' }) });
    expect(segmentsOf(read())).toEqual(['0-101 complete', '101-110 unknown list_closed']);
  });

  it('says if the creation of the account is unknown', async () => {
    const { timeline, read } = storeOfAccount();
    await timeline(day(100), MAX_PAGES, [99, 95, 90]);
    expect(read().orderedLists[0]!.axis).toEqual({ from: day(90), isFromKnown: false, to: day(100) });
    expect(segmentsOf(read())).toEqual(['90-90 gap max_pages', '90-100 complete']);
  });

  it('counts the tweets of the list, and explains more stored than reported', async () => {
    const { profile, timeline, crawl, read, exec } = storeOfAccount();
    await profile(day(99), 2);
    await timeline(day(100), ONE_PAGE, [90, 50, 40], 'replies');
    const page = rows({
      users: [user('1', { detailLevel: 'reference' })],
      tweets: [tweet('found', { authorRestId: '1', createdAt: day(20) })],
    });
    const found = { target: 'a', rows: page, progress: progressOf({ targetRestId: null }) };
    await crawl(day(101), 'search', ONE_PAGE, found);
    expect(reasonsOf(read().orderedLists[1]!)).toEqual(['older_count']);
    const progress = progressOf({ targetRestId: null, items: 0 });
    await crawl(
      day(102),
      'tweet',
      { state: 'complete', reason: 'deleted', ending: 'served' },
      { target: 't40', progress },
    );
    const { tweets, orderedLists } = read();
    expect(tweets).toEqual({ stored: 4 });
    expect(orderedLists[1]).toMatchObject({ stored: 3, reported: 2 });
    expect(exec('select count(*) from tweets where seen_in_lists & 2')).toBe(3);
    // The view compares the same list with the same count, and the timeline with none.
    expect(
      exec("select stored || ' of ' || reported || ': ' || score from v_completeness where kind = 'replies'"),
    ).toBe('3 of 2: 1.5');
    expect(exec("select count(*) from v_deleted_tweets where state = 'deleted' and author_rest_id = '1'")).toBe(1);
    expect(reasonsOf(orderedLists[1]!)).toEqual(['deleted 1', 'older_count']);
  });

  it('has counts of the lists that the view compares, and says more than counted above all', async () => {
    const { profile, timeline, crawl, store } = storeOfAccount();
    await profile(day(99), 7, { followersCount: 2, followingCount: 1 });
    await timeline(day(100), SERVED, [90]);
    await timeline(day(100) + 1, ONE_PAGE, [90, 80], 'replies');
    await crawl(day(101), 'followers', SERVED, edges('followers', ['2', '3']));
    await crawl(day(102), 'following', SERVED, edges('following', ['2', '3']));
    const db = openReadOnly(store.path);
    onTestFinished(() => void db.$client.close());
    const view = db.$client.prepare("select kind, stored, reported, score from v_completeness where kind <> 'profile'");
    const kinds = ['followers', 'following', 'replies', 'timeline'] as const;
    const pairs = kinds.map((kind) => readCountPair(db, '1', kind)!);
    const expected = pairs.map((pair, i) => ({
      kind: kinds[i],
      stored: pair.stored,
      reported: pair.reported,
      score: computeScore(pair),
    }));
    expect(view.all()).toEqual(expect.arrayContaining(expected));
    expect(pairs.map(formatScore)).toEqual(['100 %', 'more than counted', '29 %', '']);
  });
});

describe('the coverage of followers', () => {
  it('is complete as of a list that the service ended, also after a crawl of one page', async () => {
    const { profile, crawl, read } = storeOfAccount();
    await profile(day(99), 0, { followersCount: 3 });
    const [followers, following] = read().accountLists;
    expect([followers!.state, following!.state]).toEqual(['not collected', 'not collected']);
    await crawl(day(100), 'followers', SERVED, edges('followers', ['2', '3']));
    await crawl(day(110), 'followers', MAX_PAGES, edges('followers', ['2']));
    expect(read().accountLists[0]).toMatchObject({
      state: 'complete',
      asOf: day(100),
      reason: null,
      stored: 2,
      reported: 3,
    });
    expect(reasonsOf(read().accountLists[0]!)).toEqual(['shorter_list 1', 'older_count']);
    await profile(day(100) + 2 * MINUTE, 0, { followersCount: 4 });
    expect(read().accountLists[0]!.difference).toEqual([
      { reason: 'shorter_list', count: 2, text: expect.stringMatching(/^the count is newer .* may be later growth$/) },
    ]);
  });

  it('names the stored edges that the latest complete list lacks', async () => {
    const { profile, crawl, read, exec } = storeOfAccount();
    await crawl(day(100), 'followers', SERVED, edges('followers', ['2', '3']));
    await profile(day(110), 0, { followersCount: 1 });
    await crawl(day(110), 'followers', SERVED, edges('followers', ['2']));
    expect(exec('select count(*) from follows where first_missed_at is not null and ended_at is null')).toBe(1);
    expect(reasonsOf(read().accountLists[0]!)).toEqual(['missed_once 1']);
  });
});

it('an account that the service does not have is not available, and one that was not asked for is not collected', async () => {
  const { crawl, profile, read } = storeOfAccount();
  await profile(day(99), 10);
  expect(read().account.unavailableAt).toBeNull();
  await crawl(
    day(100),
    'followers',
    { state: 'failed', reason: 'not_found' },
    {
      progress: progressOf({ pages: 0 }),
      requests: [{ endpoint: 'followers', at: day(100) + 7, status: 404, ms: 1, bytes: 2 }],
    },
  );
  const { account, orderedLists, accountLists } = read();
  expect(account.unavailableAt).toBe(day(100) + 7);
  expect(orderedLists.map(({ state, axis }) => [state, axis])).toEqual([
    ['not available', null],
    ['not available', null],
  ]);
  expect(accountLists.map(({ state, reason }) => [state, reason])).toEqual([
    ['not available', 'not_available'],
    ['not available', 'not_available'],
  ]);
  await profile(day(120), 11);
  expect(read().account.unavailableAt).toBeNull();
  expect(read().orderedLists.map(({ state }) => state)).toEqual(['not collected', 'not collected']);
});
