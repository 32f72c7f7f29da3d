import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideEnd, type PageFacts } from '../../src/engine/pagination/end-of-list.ts';
import { type CycleDetector, NEW_CYCLE_DETECTOR } from '../../src/kinds/checkpoint.ts';
import type { CrawlEnd } from '../../src/kinds/end-states.ts';
import type { CrawlOptions } from '../../src/kinds/kinds.ts';

/** A page as a service might serve it: its items and the next cursor. */
interface Served {
  readonly items: readonly string[];
  readonly next: string | null;
  readonly rejected?: number;
}

/** Walks pages as a crawl would, until it ends; the last page's cursor leads on by the list of pages. */
function walk(pages: readonly Served[], options: CrawlOptions = {}): { end: CrawlEnd | undefined; pages: number } {
  let detector: CycleDetector = NEW_CYCLE_DETECTOR;
  let sentCursor: string | null = null;
  let rejected = 0;
  for (const [i, { items, next, rejected: bad = 0 }] of pages.entries()) {
    rejected += bad;
    const facts: PageFacts = {
      kind: 'timeline',
      sentCursor,
      cursor:
        next === null ? { type: 'end' } : next === UNREADABLE ? { type: 'unreadable' } : { type: 'next', value: next },
      isPaged: true,
      cursorsWork: true,
      servedCount: items.length + bad,
      itemIds: items,
      isPastSince: false,
      pages: i + 1,
      rejectedCount: rejected,
    };
    const judged = decideEnd(facts, detector, options);
    if (judged.end) return { end: judged.end, pages: i + 1 };
    detector = JSON.parse(JSON.stringify(judged.detector)) as CycleDetector; // as it comes back from the store
    sentCursor = next;
  }
  return { end: undefined, pages: pages.length };
}

/** Stands for a cursor that cannot be read. */
const UNREADABLE = '?';

const page = (items: string, next: string | null): Served => ({ items: items === '' ? [] : items.split(' '), next });

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
    [
      'two empty pages in a row are an inferred end',
      [page('a', 'A'), page('', 'B'), page('', 'C')],
      { state: 'capped', ending: 'inferred' },
    ],
    [
      'an empty page with the cursor it was asked with is an inferred end',
      [page('a', 'A'), page('', 'A')],
      { state: 'capped', ending: 'inferred' },
    ],
    [
      'a repeated cursor with items is no end but a fault',
      [page('a', 'A'), page('b', 'A')],
      { state: 'partial', reason: 'cursor_repeated' },
    ],
    [
      'A B A B is a cycle',
      [page('a', 'A'), page('b', 'B'), page('c', 'A')],
      { state: 'partial', reason: 'cursor_cycle' },
    ],
    [
      'the same entries again: the cursor was ignored',
      [page('a b', 'A'), page('a b', 'B')],
      { state: 'partial', reason: 'cursor_ignored' },
    ],
    [
      'a list that starts again from the top is a cycle',
      [page('a', 'A'), page('b', 'B'), page('a', 'C')],
      { state: 'partial', reason: 'cursor_cycle' },
    ],
    [
      '--max-pages leaves the crawl partial',
      [page('a', 'A'), page('b', 'B')],
      { state: 'partial', reason: 'max_pages' },
      { maxPages: 2 },
    ],
    [
      'a list that ends on the last allowed page is complete',
      [page('a', 'A'), page('b', null)],
      { state: 'complete' },
      { maxPages: 2 },
    ],
    [
      'a cursor that cannot be read is no end',
      [page('a b', 'A'), page('c', UNREADABLE)],
      { state: 'partial', reason: 'cursor_unreadable' },
    ],
    [
      'a cursor that cannot be read is no end of an empty page either',
      [page('', UNREADABLE)],
      { state: 'partial', reason: 'cursor_unreadable' },
    ],
    [
      'invariant 5: with an item set aside the best end is partial',
      [{ ...page('a', 'A'), rejected: 1 }, page('b', null)],
      { state: 'partial', reason: 'rejected_items' },
    ],
    [
      'a page of which every item was set aside is not an empty page',
      [
        { items: [], next: 'A', rejected: 2 },
        { items: [], next: 'B', rejected: 2 },
      ],
      undefined,
    ],
  ];
  it.each(cases)('%s', (_, pages, end, options) => {
    const expected = end === undefined ? { end: undefined } : { end, pages: pages.length };
    expect(walk(pages, options)).toMatchObject(expected);
  });
});

describe('cycles of cursors', () => {
  it('are found for any length and start, in bounded time', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 300 }), (tail, length) => {
        const cursorAfter = (n: number): string => `c${n < tail ? n : tail + ((n - tail) % length)}`;
        const pages = Array.from({ length: 4 * (tail + length) + 20 }, (_, n) => ({
          items: [`item${n}`],
          next: cursorAfter(n),
        }));
        const { end, pages: walked } = walk(pages);
        expect(end?.state).toBe('partial');
        // Short cycles at once, long ones within twice their length and start.
        expect(walked).toBeLessThanOrEqual(length <= 16 ? tail + length + 1 : 3 * (tail + length) + 2);
      }),
    );
  });

  it('are never found in a list without one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 400 }), (n) => {
        const pages = Array.from({ length: n }, (_, i) => ({
          items: [`item${i}`],
          next: i === n - 1 ? null : `c${i}`,
        }));
        expect(walk(pages)).toEqual({ end: { state: 'complete', ending: 'served' }, pages: n });
      }),
    );
  });
});
