import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { CrawlOptions } from '#service/kinds/kinds.ts';
import { readerOf } from '../store/support.ts';
import { type Item, livingList } from './living-list.ts';
import { crawlAgainst } from './support.ts';

/** What happens to a list, and to crawls of it. */
type Event =
  | { readonly does: 'post'; readonly days: readonly number[] }
  | { readonly does: 'delete'; readonly nth: number }
  | { readonly does: 'pin'; readonly nth: number }
  | { readonly does: 'crawl'; readonly options: CrawlOptions; readonly cancelAt: number; readonly dead: number };

const event: fc.Arbitrary<Event> = fc.oneof(
  // How many days after the one before each is posted: 0 is a tie.
  fc.record({
    does: fc.constant('post' as const),
    days: fc.array(fc.nat(2), { minLength: 1, maxLength: 12 }),
  }),
  fc.record({ does: fc.constant('delete' as const), nth: fc.nat(40) }),
  fc.record({ does: fc.constant('pin' as const), nth: fc.nat(40) }),
  fc.record({
    does: fc.constant('crawl' as const),
    options: fc.record(
      { maxPages: fc.integer({ min: 1, max: 4 }), full: fc.constant(true as const) },
      { requiredKeys: [] },
    ),
    /** The request at which it is cancelled; those that it does not reach do nothing. */
    cancelAt: fc.integer({ min: 1, max: 12 }),
    /** Cursors of so many items and less are refused. */
    dead: fc.oneof(fc.constant(0), fc.constant(0), fc.nat(40)),
  }),
);

test('intervals and complete crawls lack no item under any changes of a list (invariant 5)', async () => {
  const lists = new Map<string, ReturnType<typeof livingList>>();
  let onAsked = async (): Promise<void> => undefined;
  const { run, store, asked } = await crawlAgainst({
    'user-tweets': async (parameters) => {
      await onAsked();
      return lists.get(parameters['restId']!)!.answer(parameters);
    },
  });
  const db = readerOf(store);
  const intervals = db.prepare('select newest_at, oldest_at, list_end from coverage where target = ?');
  const isStored = db.prepare('select 1 from tweets where rest_id = ?');
  const missing = (items: readonly Item[]): Item[] => items.filter(({ id }) => !isStored.get(String(id)));
  const at = ({ day }: Item): number => Date.UTC(2025, 0, day);
  let next = 0;

  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 6 }),
      fc.array(event, { minLength: 3, maxLength: 9 }),
      async (pageSize, events) => {
        const of = String(1000 + ++next);
        const list = livingList({ pageSize, of });
        lists.set(of, list);
        // Ids tell lists apart in the one store.
        let id = next * 1000;
        let day = 1;
        const crawl = async (options: CrawlOptions, cancelAt = Infinity) => {
          const before = asked.length;
          onAsked = async () => {
            if (asked.length - before !== cancelAt) return;
            const unfinished = store.read.unfinished().map((each) => each.id);
            await store.write.cancelCrawls(unfinished, 5);
          };
          const there = [...list.items];
          const { crawl: row } = await run('timeline', `id:${of}`, options);
          for (const { newest_at, oldest_at, list_end } of intervals.all(of) as Record<string, number>[]) {
            const claimed = list.items.filter(
              (item) => at(item) < newest_at! && (list_end !== null || at(item) > oldest_at!),
            );
            expect(missing(claimed)).toEqual([]);
          }
          expect(row.state === 'complete' ? missing(there) : []).toEqual([]);
          return { row, requests: asked.length - before };
        };

        for (const what of events) {
          if (what.does === 'post') {
            for (const days of what.days) list.items.unshift({ id: ++id, day: (day += days) });
          } else if (what.does === 'delete') {
            list.items.splice(what.nth % Math.max(1, list.items.length), 1);
          } else if (what.does === 'pin') {
            list.pinned = list.items[what.nth % Math.max(1, list.items.length)];
          } else if (list.items.length > 0) {
            list.onCursor = (cursor) => (Number(cursor) % 1000 < what.dead ? 'refuse' : undefined);
            await crawl(what.options, what.cancelAt);
            list.onCursor = undefined;
          }
        }
        if (list.items.length === 0) return;
        const { row } = await crawl({});
        expect(row.state).toBe('complete');
        // What was found is found again at once: ties on top, or a page that shows too little, take a page or two more.
        const again = await crawl({});
        expect(again.row).toMatchObject({ state: 'complete', newItems: 0 });
        const tops = list.items.slice(0, pageSize);
        const isPlain = list.items.length > pageSize && new Set(tops.map((item) => item.day)).size > 2;
        expect(again.requests).toBeLessThanOrEqual(isPlain ? 1 : Infinity);
      },
    ),
    { numRuns: 60, seed: 20_250_101, endOnFailure: false },
  );
}, 120_000);
