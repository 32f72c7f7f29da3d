import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { readerOf } from '../store/support.ts';
import { type Answer, coverageOf, crawlAgainst, listOf, reference, timeline } from './support.ts';

const nasa = reference('1', 'nasa');

/** The page with a cursor entry that nobody can read in place of its own. */
function withUnreadable(answer: Answer): Answer {
  const { data } = structuredClone(answer) as { data: { timeline: { instructions: { entries: unknown[] }[] } } };
  data.timeline.instructions[0]!.entries.push({ entryId: 'cursor-bottom-0', content: { value: { n: 5 } } });
  return { data };
}

describe('a list with an unreadable cursor (invariant 4)', () => {
  it('is covered down to the previous page', async () => {
    const { run, store } = await crawlAgainst({
      'user-tweets': ({ cursor }) =>
        cursor ? withUnreadable(timeline(nasa, ['12@3', '11@2'], null)) : timeline(nasa, ['15@6', '14@5', '13@4'], 'A'),
    });
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({
      state: 'partial',
      reason: 'cursor_unreadable',
      ending: null,
      items: 5,
      cursor: null,
    });
    const db = readerOf(store);
    expect(coverageOf(store)).toEqual({ intervals: ['15 14 '], gaps: ['14 - cursor_unreadable'] });
    expect(db.prepare("select field from _drift where field like 'cursor%'").pluck().all()).toEqual([
      'cursor (unreadable)',
    ]);
  });

  it('is complete if the rest is covered or not requested', async () => {
    let isBroken = false;
    const { run } = await crawlAgainst({
      'user-tweets': ({ cursor }) => {
        const page = cursor
          ? timeline(nasa, ['12@3', '11@2'], null)
          : timeline(nasa, ['15@6', '14@5', '13@4'], isBroken ? null : 'A');
        return isBroken ? withUnreadable(page) : page;
      },
    });
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'served' });
    isBroken = true;
    expect((await run('timeline', 'id:1')).crawl).toMatchObject({ state: 'complete', ending: 'joined', pages: 1 });
    const since = Date.UTC(2025, 0, 5, 12);
    expect((await run('timeline', 'id:1', { since, fullRefresh: true })).crawl).toMatchObject({
      state: 'complete',
      ending: 'since',
      pages: 1,
    });
    expect((await run('timeline', 'id:1', { fullRefresh: true })).crawl).toMatchObject({
      state: 'partial',
      reason: 'cursor_unreadable',
    });
  });

  it('of a search leaves the window open', async () => {
    const empty: Answer = { data: { search_metadata: { query: 'moon', count: 0 }, timeline: listOf([]) } };
    let answer = withUnreadable(empty);
    const { run, store } = await crawlAgainst({ search: () => answer });
    const window = { from: Date.UTC(2025, 0, 1), to: Date.UTC(2025, 0, 1) + 4 * DAY };
    expect((await run('search', 'moon', window)).crawl).toMatchObject({
      state: 'partial',
      reason: 'cursor_unreadable',
    });
    expect(readerOf(store).prepare('select count(*) from _search_windows').pluck().get()).toBe(0);
    answer = empty;
    await run('search', 'moon', window);
    expect(readerOf(store).prepare('select count(*) from _search_windows').pluck().get()).toBe(1);
  });
});
