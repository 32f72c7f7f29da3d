import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideEnd, type PageFacts } from '#crawl/pagination/paginate.ts';
import { LIST_END, type PageCursor, UNREADABLE_CURSOR } from '#service/contract/read-cursor.ts';
import { type CycleDetector, NEW_CYCLE_DETECTOR } from '#service/kinds/checkpoint.ts';
import { createListEnd, type CrawlEnd } from '#service/kinds/decide-end.ts';
import type { CrawlOptions } from '#service/kinds/kinds.ts';

/** A page as a service might serve it: its items and the next cursor. */
interface Served {
  readonly items: readonly string[];
  readonly next: string | null;
  readonly rejected?: number;
}

/** Decides on pages as a crawl does, until it ends. */
function decidePages(
  pages: readonly Served[],
  options: CrawlOptions = {},
): { end: CrawlEnd | undefined; pages: number } {
  let detector: CycleDetector = NEW_CYCLE_DETECTOR;
  let sentCursor: string | null = null;
  let rejected = 0;
  for (const [i, { items, next, rejected: bad = 0 }] of pages.entries()) {
    rejected += bad;
    const facts: PageFacts = {
      isPaged: true,
      cursorsWork: true,
      isPastSince: false,
      sentCursor,
      cursor: cursorOf(next),
      pages: i + 1,
      itemIds: items,
      servedCount: items.length + bad,
    };
    const decision = decideEnd(facts, detector, options);
    if (decision.end) return { end: createListEnd('timeline', decision.end, rejected), pages: i + 1 };
    detector = JSON.parse(JSON.stringify(decision.detector)) as CycleDetector; // as it comes back from the store
    sentCursor = next;
  }
  return { end: undefined, pages: pages.length };
}

/** Stands for a cursor that cannot be read. */
const UNREADABLE = '?';
const cursorOf = (next: string | null): PageCursor =>
  next === null ? LIST_END : next === UNREADABLE ? UNREADABLE_CURSOR : { type: 'next', value: next };

const page = (items: string, next: string | null): Served => ({ items: items === '' ? [] : items.split(' '), next });

const partial = (reason: string) => ({ state: 'partial' as const, reason });
const INFERRED = { state: 'capped', ending: 'inferred' } as const;

describe('only the service ends a list (invariant 4)', () => {
  const cases: [string, Served[], Partial<CrawlEnd> | undefined, CrawlOptions?][] = [
    ['no next cursor is the end', [page('a b', 'A'), page('c', null)], { state: 'complete', ending: 'served' }],
    ['an empty list without a cursor is the end', [page('', null)], { state: 'complete', ending: 'served' }],
    ['a short page is not the end', [page('a b c', 'A'), page('d', 'B')], undefined],
    ['one empty page with a new cursor is not the end', [page('a', 'A'), page('', 'B'), page('b', 'C')], undefined],
    [
      'empty pages that are not in a row are not the end',
      [page('', 'A'), page('a', 'B'), page('', 'C'), page('b', 'D')],
      undefined,
    ],
    ['two empty pages in a row are an inferred end', [page('a', 'A'), page('', 'B'), page('', 'C')], INFERRED],
    ['an empty page with the cursor of its request is an inferred end', [page('a', 'A'), page('', 'A')], INFERRED],
    [
      'a repeated cursor with items is a fault, not an end',
      [page('a', 'A'), page('b', 'A')],
      partial('cursor_repeated'),
    ],
    ['A B A B is a cycle', [page('a', 'A'), page('b', 'B'), page('c', 'A')], partial('cursor_cycle')],
    ['the same entries again: the cursor was ignored', [page('a b', 'A'), page('a b', 'B')], partial('cursor_ignored')],
    ['the same entries, without a cursor', [page('a b', 'A'), page('a b', null)], partial('cursor_ignored')],
    [
      'a list that starts again from the top is a cycle',
      [page('a', 'A'), page('b', 'B'), page('a', 'C')],
      partial('cursor_cycle'),
    ],
    [
      'the first entries again in another order, without a cursor',
      [page('a b', 'A'), page('c', 'B'), page('b a', null)],
      partial('cursor_cycle'),
    ],
    ['--max-pages leaves the crawl partial', [page('a', 'A'), page('b', 'B')], partial('max_pages'), { maxPages: 2 }],
    [
      'a list that ends on the last allowed page is complete',
      [page('a', 'A'), page('b', null)],
      { state: 'complete' },
      { maxPages: 2 },
    ],
    ['a cursor that cannot be read is no end', [page('a b', 'A'), page('c', UNREADABLE)], partial('cursor_unreadable')],
    [
      'a cursor that cannot be read is no end of an empty page either',
      [page('', UNREADABLE)],
      partial('cursor_unreadable'),
    ],
    [
      'invariant 5: with a rejected item the best end is partial',
      [{ ...page('a', 'A'), rejected: 1 }, page('b', null)],
      partial('rejected_items'),
    ],
    [
      'a page with rejected items only is not an empty page',
      [
        { items: [], next: 'A', rejected: 2 },
        { items: [], next: 'B', rejected: 2 },
      ],
      undefined,
    ],
  ];
  it.each(cases)('%s', (_, pages, end, options) => {
    const expected = end === undefined ? { end: undefined } : { end, pages: pages.length };
    expect(decidePages(pages, options)).toMatchObject(expected);
  });
});

describe('cycles of cursors', () => {
  it('are found for any length and start, in bounded time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 }), (tail, length) => {
        const cursorAfter = (n: number): string => `c${n < tail ? n : tail + ((n - tail) % length)}`;
        const count = 4 * (tail + length) + 20;
        const pages = Array.from({ length: count }, (_, n) => ({ items: [`item${n}`], next: cursorAfter(n) }));
        const { end, pages: decided } = decidePages(pages);
        expect(end?.state).toBe('partial');
        // Short cycles at once, long ones within twice their length and start.
        expect(decided).toBeLessThanOrEqual(length <= 16 ? tail + length + 1 : 3 * (tail + length) + 2);
      }),
    );
  });

  it('are never found in a list without one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (n) => {
        const next = (i: number): string | null => (i === n - 1 ? null : `c${i}`);
        const pages = Array.from({ length: n }, (_, i) => ({ items: [`item${i}`], next: next(i) }));
        expect(decidePages(pages)).toEqual({ end: { state: 'complete', ending: 'served' }, pages: n });
      }),
    );
  });
});
