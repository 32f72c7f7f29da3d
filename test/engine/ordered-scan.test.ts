import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isPastTime,
  startScan,
  findRereadRange,
  listCoveredSpans,
  markReported,
  scanPage,
} from '#crawl/pagination/ordered-scan.ts';
import type { OrderedScan } from '#service/kinds/checkpoint.ts';
import type { ListPosition } from '#store/normalise/parse-page.ts';

const NOW = 1000;

/** `90 80 x`: items by their times; `x` was rejected, `?` has no time. */
const places = (page: string): (ListPosition | null)[] =>
  page
    .split(' ')
    .filter((word) => word !== '')
    .map((word) => (word === 'x' ? null : { id: `i${word}`, at: word === '?' ? null : Number(word) }));

/** Scans pages as a crawl does, with the scan stored in between; what each page covers as `oldest..newest`. */
function scanPages(pages: readonly string[], bottom?: 'served'): { claims: string[][]; end: OrderedScan } {
  let scan: OrderedScan = startScan(null);
  const claims = pages.map((page, i) => {
    const scanned = scanPage(scan, places(page), NOW);
    scan = JSON.parse(JSON.stringify(markReported(scanned.scan))) as OrderedScan;
    return listCoveredSpans(scanned, i === pages.length - 1 ? bottom : undefined).map(
      (span) => `${span.bottom ?? ''}${span.oldest.at}..${span.newest.at}${span.below ? '!' : ''}`,
    );
  });
  return { claims, end: scan };
}

describe('what an ordered scan covers (invariant 5)', () => {
  const cases: [string, string[], string[][]][] = [
    ['ends at the last item but one, which the last one confirms', ['100 90 80'], [['90..100']]],
    ['grows from page to page', ['100 90', '80 70'], [[], ['80..100']]],
    ['is nothing after one item', ['100'], [[]]],
    ['leaves a tie at its bound open', ['100 90 90 90'], [['90..100']]],
    ['has no bound inside a tie', ['100 100 100', '100 90', '80'], [[], [], ['90..100']]],
    ['ignores a pin', ['20 100 90 80'], [['90..100']]],
    ['ignores a pin on a page of its own', ['20', '100', '90', '80'], [[], [], [], ['90..100']]],
    ['ignores two pins', ['20 30 100 90 80'], [['90..100']]],
    ['ignores an old item at the end of a page', ['100 90 20', '80 70'], [['90..100'], ['80..100']]],
    ['ignores a new item further down', ['100 90 80 95 70'], [['80..100']]],
    ['ignores an item from the future', ['5000 100 90 80'], [['90..100']]],
    ['ignores items without a time', ['100 ? 90 ? 80'], [['90..100']]],
    ['stops at a rejected item, and begins again below', ['100 90 80 x 70 60 50 40'], [['90..100!', '50..60']]],
    ['begins below a rejected item with the older of two', ['100 90 80 x 85 70 60 50'], [['90..100!', '60..70']]],
    ['is nothing if the first entry was rejected, since it may be pinned', ['x 100 90 80', '70 60'], [[], []]],
    ['ends once two items in a row are out of order', ['100 90 80 70', '95 96 60', '50 40'], [['80..100'], [], []]],
    ['is nothing for an unordered list', ['50 10 20 90 30 80'], [[]]],
  ];
  it.each(cases)('%s', (_, pages, claims) => {
    expect(scanPages(pages).claims).toEqual(claims);
  });

  it('reaches to the last item, and further if the list ended', () => {
    expect(scanPages(['100 90', '80 70'], 'served').claims[1]).toEqual(['served70..100']);
    expect(scanPages(['100'], 'served').claims).toEqual([['served100..100']]);
    expect(scanPages(['100 90 80', ''], 'served').claims[1]).toEqual(['served80..100']);
    // The item below the rejected one may be out of order.
    expect(scanPages(['100 90 80 x 70'], 'served').claims).toEqual([['90..100!']]);
  });
});

describe('--since', () => {
  const past = (pages: string[]) => isPastTime(50, scanPages(pages).end, places(pages.at(-1)!));
  const cases: [string, string[], boolean][] = [
    ['stops when two items are older', ['90 70 40 30'], true],
    ['goes on for one older item, which may be out of order', ['90 70 40'], false],
    ['goes on while none is older', ['90 70 60'], false],
    ['ignores an old item pinned on top', ['10 90 70'], false],
    ['stops after a pinned item when the rest is older, too', ['10 40 30 20'], true],
    ['stops with the second of two pages', ['90', '40', '30'], true],
    ['does not stop for items without a time', ['? ? ?'], false],
    ['of a list out of order stops when a whole page is older', ['x 90 80', '40 30'], true],
    ['of a list out of order goes on while something is not', ['x 90 80', '40 60 30'], false],
  ];
  it.each(cases)('%s', (_, pages, stops) => {
    expect(past(pages)).toBe(stops);
  });
});

/** Cuts a list into pages of random lengths. */
function cut<T>(list: readonly T[], sizes: readonly number[]): T[][] {
  const pages: T[][] = [];
  let at = 0;
  for (let i = 0; at < list.length; i++) {
    const size = sizes[i % sizes.length]!;
    pages.push(list.slice(at, at + size));
    at += size;
  }
  return pages;
}

it('every covered item was seen, for any pages, ties and one item out of order (invariant 5)', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 40 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 }),
      fc.option(fc.tuple(fc.nat(39), fc.nat(39)), { nil: undefined }),
      fc.array(fc.nat(39), { maxLength: 2 }),
      (times, sizes, moved, aside) => {
        const list: (number | null)[] = times.toSorted((a, b) => b - a);
        const ordered = [...list] as number[];
        if (moved) {
          const [from, to] = moved.map((n) => n % list.length) as [number, number];
          const [item] = list.splice(from, 1);
          list.splice(to, 0, item!);
          // It cannot be known before it is seen.
          ordered.splice(from, 1);
        }
        // No rejected items beside one that is out of order: two faults at one place are not covered.
        if (!moved) for (const n of aside) if (n % list.length > 0) list[n % list.length] = null;
        const pages = cut(list, sizes);
        const unseen = (seen: readonly (number | null)[]) => {
          const left = [...ordered];
          for (const at of seen) if (left.includes(at!)) left.splice(left.indexOf(at!), 1);
          return left;
        };
        let scan: OrderedScan = startScan(null);
        const seen: (number | null)[] = [];
        for (const page of pages) {
          const scanned = scanPage(
            scan,
            page.map((at, i) => (at === null ? null : { id: `${i}`, at })),
            NOW,
          );
          scan = markReported(scanned.scan);
          seen.push(...page);
          for (const { newest, oldest } of listCoveredSpans(scanned)) {
            const missing = unseen(seen).filter((at) => at > oldest.at && at < newest.at);
            expect(missing, `of ${JSON.stringify(pages)} after ${seen.length}`).toEqual([]);
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
});

describe('the range of times that a page shows completely (invariant 7)', () => {
  /** The range of the last page, after a first page of another crawl. */
  function rereadBy(first: string, pages: readonly string[]): string {
    let scan: OrderedScan = markReported(scanPage(startScan(null), places(first), NOW).scan);
    const skippedDownTo = scan === 'unordered' ? undefined : scan.oldest?.at;
    const rereads = pages.map((page) => {
      const scanned = scanPage(scan, places(page), NOW);
      const reread = findRereadRange(scan, scanned, places(page), { at: NOW, isLast: false, skippedDownTo });
      scan = markReported(scanned.scan);
      return reread ? `${reread.above}..${reread.below}` : '';
    });
    return rereads.at(-1)!;
  }

  it.each([
    ['its own items, where the bound above it is of a crawl before', ['70 60 50'], '60..70'],
    ['from the page above on, once the scan has a bound of its own', ['70 60', '50 40'], '50..70'],
    ['its own items still, after pages without any times', ['? ?', '?', '70 60 50'], '60..70'],
    ['from the last item taken over on, where one of its own is below it', ['20', '70 60'], '70..80'],
    ['nothing, where an entry was rejected', ['70 x 60 50'], ''],
  ])('%s', (_, pages, expected) => {
    expect(rereadBy('100 90 80', pages)).toBe(expected);
  });

  it.each([
    ['from the top on', ['100 90 80'], false, '90..top'],
    ['from the top on, with a pinned item apart', ['20 100 90 80'], false, '90..top'],
    ['nothing yet, where all items may be pinned', ['30 20 100'], false, ''],
    ['from the top on, once items in order follow', ['30 20 100', '90 80'], false, '90..top'],
    ['nothing yet, where two items may be one pinned item and the first', ['100 90'], false, ''],
    ['from the top down to the only item of a list that ends', ['90'], true, '90..top'],
    ['from the top of a short list that ends', ['100 90'], true, '100..top'],
    ['nothing more from the top on, after the first page', ['100 90 80', '70 60'], true, '70..90'],
  ])('of a list that is read from its top: %s', (_, pages, isLast, expected) => {
    let scan: OrderedScan = startScan(null);
    const rereads = pages.map((page, i) => {
      const scanned = scanPage(scan, places(page), NOW);
      const place = { at: NOW, isLast: isLast && i === pages.length - 1, skippedDownTo: undefined };
      const reread = findRereadRange(scan, scanned, places(page), place);
      scan = markReported(scanned.scan);
      return reread ? `${reread.above}..${reread.below === NOW ? 'top' : reread.below}` : '';
    });
    expect(rereads.at(-1)).toBe(expected);
  });
});
