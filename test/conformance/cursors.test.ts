import { describe, expect, test } from 'vitest';
import { type Meaning, type PagedEndpoint, PLACES, spellCursors } from './cursor-shapes.ts';
import { createLists, LENGTH } from './lists.ts';
import { serveData } from './scripted-service.ts';
import { createCrawler, idsOf } from './support.ts';

const PAGE = 5;

/** What a crawl shall end as when the cursor of its first page of three means this. */
const OUTCOMES: Readonly<Record<Meaning, { items: number; state: string; reason: string | null; isComplete: number }>> =
  {
    follow: { items: LENGTH, state: 'complete', reason: null, isComplete: 1 },
    end: { items: PAGE, state: 'complete', reason: null, isComplete: 1 },
    unreadable: { items: PAGE, state: 'partial', reason: 'cursor_unreadable', isComplete: 0 },
  };

const KINDS: readonly { kind: string; endpoint: PagedEndpoint; stored: string }[] = [
  { kind: 'followers', endpoint: 'followers', stored: 'select count(*) from v_follows where followee_rest_id = ' },
  { kind: 'following', endpoint: 'following', stored: 'select count(*) from v_follows where follower_rest_id = ' },
  { kind: 'timeline', endpoint: 'user-tweets', stored: 'select count(*) from v_tweets where author_rest_id = ' },
];

const targetsOf = (ids: readonly string[]): string[] => ids.map((id) => `id:${id}`);

describe.each(KINDS)('a crawl of $kind', ({ kind, endpoint, stored }) => {
  test.each(PLACES)('reads every form of a cursor in $name', async (place) => {
    const { owners, ...data } = createLists(place.shapes.length);
    const ids = idsOf(owners);
    const service = await serveData(data, { pageSize: PAGE, hook: spellCursors(endpoint, place, ids) });
    const crawler = createCrawler(service);

    const { code, summary } = await crawler.crawl(kind, ...targetsOf(ids));

    const claims = crawler.rows(`select target_rest_id, is_complete from v_completeness where kind = '${kind}'`);
    const actual = place.shapes.map(({ name, meaning }, n) => {
      const crawl = summary['crawls'].find((each: { targetRestId: string }) => each.targetRestId === ids[n]);
      const items = crawler.value(`${stored}'${ids[n]}'`);
      const isComplete = claims.find((each) => each['target_rest_id'] === ids[n])?.['is_complete'];
      return { name, meaning, items, state: crawl?.state, reason: crawl?.reason, isComplete };
    });
    expect(actual).toEqual(place.shapes.map(({ name, meaning }) => ({ name, meaning, ...OUTCOMES[meaning] })));
    expect(code).toBe(3);
    const toTheEnd = crawler.rows('select target from v_coverage where list_end is not null');
    const ended = ids.filter((_, n) => kind === 'timeline' && place.shapes[n]!.meaning !== 'unreadable');
    expect(new Set(toTheEnd.map((row) => row['target']))).toEqual(new Set(ended));
  });
});

test.each([
  ['lead on', 'follow', 0],
  ['end the list', 'end', 0],
  ['cannot be read', 'unreadable', 3],
] as const)('a crawl whose cursors %s exits with the code for that', async (_, meaning, exitCode) => {
  const shapes = PLACES[0]!.shapes.filter((shape) => shape.meaning === meaning);
  const { owners, ...data } = createLists(shapes.length);
  const ids = idsOf(owners);
  const hook = spellCursors('followers', { ...PLACES[0]!, shapes }, ids);
  const service = await serveData(data, { pageSize: PAGE, hook });

  const { code } = await createCrawler(service).crawl('followers', ...targetsOf(ids));

  expect(code).toBe(exitCode);
});
