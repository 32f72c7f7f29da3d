import { describe, expect, it } from 'vitest';
import { readerOf } from '../store/support.ts';
import { type Answer, crawlAgainst, followers, profile, reference, timeline } from './support.ts';

const person = (id: string) => ({ id, rest_id: id, name: `user ${id}`, screen_name: `user${id}` });
const nasa = reference('1', 'nasa');
const spacex = reference('5', 'spacex');

/** A page of followers without a cursor, with more keys under `data`. */
const page = (users: readonly string[], more: object = {}, owner = nasa): Answer => {
  const { data } = followers(
    owner,
    users.map((id) => person(id)),
    null,
  ) as { data: object };
  return { data: { ...data, ...more } };
};

const countOf = (store: Parameters<typeof readerOf>[0], sql: string): unknown =>
  readerOf(store).prepare(sql).pluck().get();

describe('a list that goes on by a hint (invariant 4)', () => {
  it('is followed if the next page has new ids', async () => {
    const pages: Record<string, Answer> = { b: page(['4', '5'], { nextCursor: 'c' }), c: page(['6']) };
    const { run, asked } = await crawlAgainst({
      followers: ({ cursor }) => pages[cursor ?? ''] ?? page(['2', '3'], { nextCursor: 'b' }),
    });
    const { crawl } = await run('followers', 'id:1');
    expect(crawl).toMatchObject({ state: 'complete', items: 5, pages: 3 });
    expect(asked).toEqual(['followers 1', 'followers 1 b', 'followers 1 c', 'user-profile nasa']);
  });

  it('is followed if the next page repeats one item of the first page', async () => {
    const pages: Record<string, Answer> = { b: page(['4', '5', '6'], { nextCursor: 'c' }), c: page(['7']) };
    const { run } = await crawlAgainst({
      followers: ({ cursor }) => pages[cursor ?? ''] ?? page(['2', '3', '4'], { nextCursor: 'b' }),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ ending: 'served', pages: 3 });
  });

  it.each([
    ['the first page again', () => page(['2', '3'], { next_token: 'b' })],
    ['the first page after a deletion', () => page(['3', '4'])],
    ['the first page after an addition', () => page(['9', '2', '3'])],
    ['no items', () => page([])],
    ['a refusal', (): Answer => ({ status: 400, body: '{}' })],
  ])('is a cursor that cannot be read if the next page shows %s, for a day without a request', async (_, second) => {
    const { run, asked, store } = await crawlAgainst({
      followers: ({ cursor, restId }) =>
        cursor === undefined ? page(['2', '3'], { next_token: 'b' }, restId === '5' ? spacex : nasa) : second(),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'partial', reason: 'cursor_unreadable' });
    expect(asked).toHaveLength(2);
    expect((await run('followers', 'id:5')).crawl).toMatchObject({ state: 'partial', reason: 'cursor_unreadable' });
    expect(asked).toHaveLength(3);
    expect(countOf(store, 'select count(*) from _list_snapshots')).toBe(0);
  });

  it('is a cursor that cannot be read if the next page is above its own, whose first tweet was deleted', async () => {
    const pages: Record<string, Answer> = {
      a: timeline(nasa, ['18@8'], 'b'),
      b: timeline(nasa, ['17@7', '16@6', '15@5'], 'c'),
      // The cursors below it are others now.
      top: timeline(nasa, ['18@8'], 'd'),
    };
    const empty = timeline(nasa, [], null) as { data: object };
    pages['c'] = { data: { ...empty.data, nextCursor: 'top' } };
    const { run, asked } = await crawlAgainst({
      'user-tweets': ({ cursor }) => pages[cursor ?? ''] ?? timeline(nasa, ['19@9'], 'a'),
    });
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'partial', reason: 'cursor_unreadable' });
    expect(asked).toHaveLength(5);
  });

  it('is not judged by a page that was requested by the cursor of an earlier crawl', async () => {
    const service = { hasHint: false };
    const { run, asked } = await crawlAgainst({
      'user-tweets': ({ cursor }) => {
        if (cursor === 'b') return timeline(nasa, [], null);
        if (cursor === 'a') return timeline(nasa, ['16@6', '15@5'], 'b');
        const first = timeline(nasa, ['19@9', '18@8', '17@7'], service.hasHint ? null : 'a') as { data: object };
        return service.hasHint ? { data: { ...first.data, nextCursor: 'a' } } : first;
      },
    });
    await run('timeline', 'id:1', { maxPages: 2 });
    service.hasHint = true;
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'served' });
    // An empty page at the cursor of an earlier crawl may be stale: the list is read from the first page then.
    expect(asked.slice(2, 4)).toEqual(['user-tweets 1', 'user-tweets 1 b']);
  });

  it.each([[{ has_more: true }], [{ pageInfo: { hasNextPage: true } }], [{ next_offset: 40 }]])(
    'is a cursor that cannot be read without a text: %j',
    async (more) => {
      const { run, asked } = await crawlAgainst({ followers: () => page(['2', '3'], more) });
      expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'partial', reason: 'cursor_unreadable' });
      expect(asked).toHaveLength(1);
    },
  );

  it('counts no hint with a cursor that was sent', async () => {
    const { run } = await crawlAgainst({
      followers: ({ cursor }) =>
        cursor === undefined ? followers(nasa, [person('2')], 'a') : page(['3'], { current_cursor: cursor }),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ ending: 'served', items: 2 });
  });

  it('is ignored where it leads two accounts back to the first page, and documented cursors work', async () => {
    const { run, asked } = await crawlAgainst({
      followers: ({ restId, cursor }) => {
        const owner = { 1: nasa, 5: spacex, 7: reference('7', 'esa') }[restId!]!;
        if (restId === '7') return cursor === undefined ? followers(owner, [person('8')], 'a') : page(['9'], {}, owner);
        return page(['2', '3'], { request_token: 'b' }, owner);
      },
    });
    // A documented cursor works.
    await run('followers', 'id:7');
    for (const target of ['id:1', 'id:5'])
      expect((await run('followers', target)).crawl).toMatchObject({ state: 'partial', reason: 'cursor_unreadable' });
    asked.length = 0;
    expect((await run('followers', 'id:1', { maxPages: 9 })).crawl).toMatchObject({ ending: 'served' });
    expect(asked).toEqual(['followers 1', 'user-profile nasa']);
  });
});

describe('an incomplete response (invariant 5)', () => {
  const signs: readonly (readonly [string, (users: readonly string[]) => Answer])[] = [
    ['errors', (users) => ({ ...page(users), errors: [{ message: 'x' }] }) as unknown as Answer],
    ['status', (users) => ({ ...page(users), status: 'error' }) as unknown as Answer],
    ['no owner', (users) => page(users, { user: null })],
  ];

  it.each(signs)('is requested once more: %s', async (_, answer) => {
    const { run, asked, store } = await crawlAgainst({
      followers: (__, nth) => (nth === 1 ? answer(['2']) : page(['2', '3'])),
    });
    const { crawl } = await run('followers', 'id:1');
    expect(crawl).toMatchObject({ ending: 'served', items: 2, newItems: 2, pages: 1 });
    expect(asked).toEqual(['followers 1', 'followers 1', 'user-profile nasa']);
    expect(countOf(store, 'select count(*) from follows')).toBe(2);
  });

  it.each(signs)('ends the crawl as partial if it is repeated, and is no evidence: %s', async (_, answer) => {
    const { run, asked, store } = await crawlAgainst({ followers: () => answer(['2']) });
    const partial = { state: 'partial', reason: 'incomplete_response' };
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ ...partial, items: 1, newItems: 1, pages: 1 });
    expect(asked).toHaveLength(2);
    expect(countOf(store, 'select count(*) from follows')).toBe(1);
    expect(countOf(store, 'select count(*) from _list_snapshots')).toBe(0);
    // The endpoint repeats the same sign: nothing is requested twice.
    expect((await run('followers', 'id:1')).crawl).toMatchObject(partial);
    expect(asked).toHaveLength(3);
  });

  it('has shown its accounts, although their number is not added to that of the page that replaces it', async () => {
    const answers = [{ ...page(['2', '3', '4']), success: false } as unknown as Answer, page(['5', '6', '7'])];
    const { run } = await crawlAgainst({
      'user-profile': () => profile('1', 'nasa', 3, { followers: 6 }),
      followers: (_, nth) => answers[nth - 1]!,
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({ state: 'complete', items: 3, newItems: 6 });
  });

  it('leads to child crawls of all accounts that it shows, up to --max-targets', async () => {
    const answers = [['2'], ['3', '4']];
    const followers = (_: unknown, nth: number): Answer =>
      ({ ...page(answers[nth - 1]!), success: false }) as unknown as Answer;
    const { run, store } = await crawlAgainst({ followers });
    await run('followers', 'id:1', { then: ['profile'], maxTargets: 2 });
    expect(countOf(store, "select group_concat(target) from crawls where kind = 'profile'")).toBe('id:2,id:3');
  });

  it('of a later page leaves the pages before it, and resumes there', async () => {
    const { run } = await crawlAgainst({
      followers: ({ cursor }) =>
        cursor === undefined
          ? followers(nasa, [person('2')], 'a')
          : ({ ...page(['3']), errors: ['x'] } as unknown as Answer),
    });
    expect((await run('followers', 'id:1')).crawl).toMatchObject({
      state: 'partial',
      reason: 'incomplete_response',
      cursor: 'a',
      items: 2,
      pages: 2,
    });
  });
});
