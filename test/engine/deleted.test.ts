import { describe, expect, it } from 'vitest';
import { decideExitCode } from '#cli/targets/crawl-summary.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import { readerOf } from '../store/support.ts';
import { days, type Item, livingList } from './living-list.ts';
import { crawlAgainst, dayText, listOf, reference, timeline, tweetEntry } from './support.ts';

/** An account's timeline, five tweets a page, of which some are deleted. */
async function account(items: readonly Item[] = days(12)) {
  const list = livingList({ pageSize: 5, items });
  const statuses = new Map<string, number>();
  const crawls = await crawlAgainst({
    'user-tweets': (parameters) => list.answer(parameters),
    'tweet-detail': ({ restId }) =>
      statuses.has(restId!)
        ? { status: statuses.get(restId!)!, body: '{}' }
        : { data: { tweet: { id: restId, text: `tweet ${restId}` } } },
  });
  const { store, run } = crawls;
  const db = readerOf(store);
  const hide = (...ids: number[]): void => void (list.items = list.items.filter(({ id }) => !ids.includes(id)));
  return {
    ...crawls,
    list,
    db,
    hide,
    /** Hides tweets from the list; a request for one is answered with `status`. */
    refuse(status: number, ...ids: number[]): void {
      hide(...ids);
      for (const id of ids) statuses.set(String(id), status);
    },
    crawl: (options: CrawlOptions = {}) => run('timeline', 'id:1', { fullRefresh: true, ...options }),
    absent: () => db.prepare('select rest_id, state from v_deleted_tweets order by id').raw().all(),
    /** Runs the crawls that ask after what is missing; returns what they asked for. */
    async ask(): Promise<string[]> {
      const open = store.read.unfinished();
      for (const { kind, target, options } of open) await run(kind, target, JSON.parse(options) as CrawlOptions);
      return open.map(({ kind, target, priority }) => `${kind} ${target} ${priority}`);
    },
  };
}

describe('a tweet that is missing from its list (invariant 7)', () => {
  it('is suspected, re-checked with priority backfill, and deleted if the service confirms it', async () => {
    const { crawl, refuse, absent, ask, db, store } = await account();
    await crawl();
    refuse(404, 8);
    expect((await crawl()).crawl).toMatchObject({ state: 'complete' });
    expect(absent()).toEqual([['8', 'suspected']]);
    expect(await ask()).toEqual(['tweet 8 backfill']);
    expect(absent()).toEqual([['8', 'deleted']]);
    const all = store.read.crawlTree([2]);
    expect(all.map(({ state, reason }) => [state, reason])).toEqual([
      ['complete', null],
      ['complete', 'deleted'],
    ]);
    expect(decideExitCode(all)).toBe(0);
    // Nothing is removed, and nobody asks again.
    expect(db.prepare("select text from tweets where rest_id = '8'").get()).toEqual({ text: 'tweet 8' });
    await crawl();
    expect(await ask()).toEqual([]);
    expect(absent()).toEqual([['8', 'deleted']]);
  });

  it('stays suspected if the re-check is answered with 400, which says nothing about the tweet', async () => {
    const { crawl, refuse, absent, ask, store } = await account();
    await crawl();
    refuse(400, 8);
    await crawl();
    await ask();
    expect(absent()).toEqual([['8', 'suspected']]);
    expect(store.read.crawlTree([2]).at(-1)).toMatchObject({ state: 'failed', reason: 'bad_request' });
  });

  it('is back when any page shows it again', async () => {
    const { crawl, hide, absent, ask, list } = await account();
    await crawl();
    hide(8, 4);
    await crawl();
    expect(absent()).toEqual([
      ['8', 'suspected'],
      ['4', 'suspected'],
    ]);
    await ask();
    expect(absent()).toEqual([]);
    await crawl();
    expect(absent()).toHaveLength(2);
    list.items = days(12);
    await crawl();
    expect(absent()).toEqual([]);
  });

  it('is not suspected outside of the range that was read again', async () => {
    const { run, list, refuse, absent } = await account();
    await run('timeline', 'id:1', { fullRefresh: true });
    list.add(1);
    refuse(404, 12, 4, 1);
    // Joins what is known complete on its first page.
    await run('timeline', 'id:1');
    expect(absent()).toEqual([['12', 'suspected']]);
    await run('timeline', 'id:1', { fullRefresh: true });
    expect(absent()).toEqual([
      ['12', 'suspected'],
      ['4', 'suspected'],
    ]);
  });

  it('is not suspected by a list with rejected items, or one that never showed it', async () => {
    const { crawl, refuse, absent, list, run } = await account();
    await crawl();
    refuse(404, 8);
    list.broken.add(9);
    await crawl();
    expect(absent()).toEqual([]);
    list.broken.clear();
    const other = await crawlAgainst({
      'user-tweets': () => timeline(reference('1', 'nasa'), ['12@12', '10@10', '8@8'], null),
      search: () => ({
        data: { timeline: listOf([tweetEntry('11', dayText(11), { author: reference('1', 'nasa') })]) },
      }),
    });
    await other.run('search', 'reply');
    await other.run('timeline', 'id:1', { fullRefresh: true });
    expect(readerOf(other.store).prepare('select count(*) from tweets').pluck().get()).toBe(4);
    expect(readerOf(other.store).prepare('select * from v_deleted_tweets').all()).toEqual([]);
    expect((await run('tweet', '8')).crawl).toMatchObject({ state: 'failed', reason: 'not_found' });
    expect(absent()).toEqual([['8', 'deleted']]);
  });

  it('gets at most twenty re-checks per crawl, and none with --no-recheck', async () => {
    const { crawl, refuse, absent, ask } = await account(days(60));
    await crawl();
    refuse(404, ...Array.from({ length: 30 }, (_, i) => 2 * i + 2).filter((id) => id < 60));
    await crawl({ recheck: false });
    expect(absent()).toHaveLength(28);
    expect(await ask()).toEqual([]);
    await crawl();
    expect(await ask()).toHaveLength(20);
    // With the oldest but one, which is below the last two of the list.
    await crawl();
    expect(await ask()).toHaveLength(9);
    expect(absent().every((row) => (row as string[])[1] === 'deleted')).toBe(true);
  });
});

describe('a deletion at an end of a timeline (invariant 7)', () => {
  /** Asks until nothing is left to ask for; returns the ids in their order. */
  async function askAll(ask: () => Promise<string[]>): Promise<string[]> {
    const asked: string[] = [];
    for (let more = await ask(); more.length > 0; more = await ask())
      asked.push(...more.map((line) => line.split(' ')[1]!));
    return asked;
  }

  it.each([
    ['the newest ones, in a refresh of one page', [12, 11], {}],
    ['the newest one', [12], { fullRefresh: true }],
    ['the oldest one', [1], { fullRefresh: true }],
    ['the oldest but one', [2], { fullRefresh: true }],
    ['the oldest ones, each after a 404 of the one above', [3, 2, 1], { fullRefresh: true }],
    ['both ends, from the top', [12, 2, 1], { fullRefresh: true }],
    ['all but one', [12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1], { fullRefresh: true }],
  ] as const)('is found: %s', async (_, gone, options) => {
    const { run, refuse, absent, ask } = await account();
    await run('timeline', 'id:1', { fullRefresh: true });
    refuse(404, ...gone);
    await run('timeline', 'id:1', options);
    expect(await askAll(ask)).toEqual(gone.map(String));
    expect(
      absent()
        .map((row) => (row as string[]).join(' '))
        .toSorted(),
    ).toEqual(gone.map((id) => `${id} deleted`).toSorted());
    await run('timeline', 'id:1', options);
    expect(await askAll(ask)).toEqual([]);
  });

  it('is not asked for below a tweet that the service has, while no list shows it', async () => {
    const { crawl, hide, refuse, absent, ask, list } = await account();
    await crawl();
    hide(3, 2);
    refuse(404, 4, 1);
    await crawl();
    // 4 is gone, 3 is there: the rest is older than what the list shows.
    expect(await askAll(ask)).toEqual(['4', '3']);
    expect(absent()).toEqual([['4', 'deleted']]);
    await crawl();
    expect(await askAll(ask)).toEqual([]);
    list.add(1);
    hide(5);
    await crawl();
    expect(await askAll(ask)).toEqual(['5']);
    await crawl();
    expect(await askAll(ask)).toEqual([]);
    // When the list shows it again, the next older one is asked for.
    list.items = days(13).filter(({ id }) => ![4, 2, 1].includes(id));
    await crawl();
    expect(await askAll(ask)).toEqual(['2']);
    refuse(404, 3);
    await crawl();
    expect(await askAll(ask)).toEqual(['3']);
  });

  it('is asked for within twenty requests of a crawl, from the top', async () => {
    const { crawl, refuse, ask } = await account(days(60));
    await crawl();
    refuse(404, ...Array.from({ length: 15 }, (_, i) => 60 - i), ...Array.from({ length: 10 }, (_, i) => i + 1));
    await crawl();
    expect((await askAll(ask)).map(Number)).toEqual([...Array(15).keys()].map((i) => 60 - i).concat([10, 9, 8, 7, 6]));
    await crawl();
    expect((await askAll(ask)).map(Number)).toEqual([5, 4, 3, 2, 1]);
  });

  it('is not asked for below a list that a limit ended, or that has no documented pages', async () => {
    const { run, refuse, ask } = await account();
    await run('timeline', 'id:1', { fullRefresh: true });
    refuse(404, 12, 1);
    await run('timeline', 'id:1', { fullRefresh: true, maxPages: 1 });
    expect(await askAll(ask)).toEqual(['12']);
    const list = { user: reference('1', 'nasa') };
    let shown = ['9@9', '8@8', '7@7'];
    const toEntry = (text: string) => tweetEntry(text.split('@')[0]!, dayText(Number(text.split('@')[1])));
    const replies = await crawlAgainst({
      'user-tweets-replies': () => ({ data: { ...list, timeline: listOf(shown.map(toEntry)) } }),
    });
    await replies.run('replies', 'id:1', { fullRefresh: true });
    shown = ['8@8'];
    await replies.run('replies', 'id:1', { fullRefresh: true });
    expect(replies.store.read.unfinished().map(({ target }) => target)).toEqual(['9']);
  });
});
