import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prepareAccountCoverage } from '#analysis/coverage/account-coverage.ts';
import { mergeRanges } from '#base/time-ranges.ts';
import { prune } from '#store/retention/prune.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { livingList } from '../engine/living-list.ts';
import { crawlAgainst, dayText, profile } from '../engine/support.ts';
import { readerOf } from '../store/support.ts';

const SHARE = fc.double({ min: 0, max: 1, noNaN: true });

/** What happens to a list: new tweets, crawls that read more or less of it, and prunes by age in days, also beside a crawl. */
const EVENT = fc.oneof(
  fc.record({ is: fc.constant('tweets' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({
    is: fc.constant('crawl' as const),
    full: fc.boolean(),
    maxPages: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
    pruned: fc.option(fc.record({ before: fc.integer({ min: 1, max: 4 }), share: SHARE }), { nil: undefined }),
  }),
  fc.record({ is: fc.constant('prune' as const), share: SHARE }),
);
type Event = typeof EVENT extends fc.Arbitrary<infer One> ? One : never;

/** The last crawl skips the period of the second one, and goes on below it, where a tweet that the second one read is removed. */
const SKIPPED: Event[] = [
  { is: 'tweets', count: 4 },
  { is: 'crawl', full: false, maxPages: 2, pruned: undefined },
  { is: 'tweets', count: 1 },
  { is: 'prune', share: 0.5 },
  { is: 'crawl', full: false, maxPages: undefined, pruned: undefined },
];

/** What a prune removed before the first page of a crawl is stored again by it. */
const STORED_AGAIN: Event[] = [
  { is: 'crawl', full: true, maxPages: undefined, pruned: { before: 1, share: 2 / 7 } },
  { is: 'prune', share: 0 },
];

/** What the first page of the crawl showed is removed before its second page. */
const PRUNED_BESIDE: Event[] = [
  { is: 'crawl', full: false, maxPages: undefined, pruned: undefined },
  { is: 'prune', share: 0 },
  { is: 'crawl', full: true, maxPages: undefined, pruned: { before: 2, share: 5 / 7 } },
  { is: 'prune', share: 0 },
];

const day = (n: number): number => Date.parse(dayText(n));

test('after any crawls and prunes, no tweet that is missing is called complete, and no old one is stored', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(EVENT, { minLength: 4, maxLength: 14 }), async (events) => {
      const list = livingList({ pageSize: 3, items: [] });
      list.add(7);
      let requests = 0;
      let beside: { readonly before: number; readonly share: number } | undefined;
      const { run, store } = await crawlAgainst({
        'user-profile': () => profile('1', 'nasa', list.items.length),
        async 'user-tweets'(parameters) {
          requests += 1;
          if (requests === beside?.before) await removeOld(beside.share);
          return list.answer(parameters);
        },
      });
      using db = openDatabase(store.path);
      const reader = readerOf(store);
      const readCoverage = prepareAccountCoverage(db);
      /** Prunes tweets, and returns the day of the oldest one that is kept. */
      async function removeOld(share: number): Promise<number> {
        const olderThan = day(1 + Math.floor(share * list.items.length));
        await prune(db, { scope: 'tweets', olderThan }, { signal: new AbortController().signal, now: Date.now });
        return olderThan;
      }
      const stored = (): Set<string> => new Set(reader.prepare<[], string>('select rest_id from tweets').pluck().all());
      await run('timeline', 'nasa');
      // Later tweets are older than the crawls, unlike those of a service.
      let served = list.items.slice();
      /** What a prune removed beside a crawl, and the crawl stored again, stays pruned until a whole crawl: too little is claimed. */
      let isUnderstated = false;
      for (const event of events) {
        let kept: readonly string[] | undefined;
        if (event.is === 'tweets') list.add(event.count);
        else if (event.is === 'crawl') {
          const { full, maxPages } = event;
          [requests, beside] = [0, event.pruned];
          isUnderstated = event.pruned !== undefined || (isUnderstated && !(full && maxPages === undefined));
          await run('timeline', 'nasa', {
            ...(full && { fullRefresh: true }),
            ...(maxPages !== undefined && { maxPages }),
          });
          beside = undefined;
          served = list.items.slice();
        } else {
          const before = stored();
          const olderThan = await removeOld(event.share);
          const expected = list.items.filter((item) => before.has(String(item.id)) && day(item.day) >= olderThan);
          kept = expected.map(({ id }) => String(id));
        }
        const has = stored();
        expect([...has].toSorted()).toEqual([...(kept ?? has)].toSorted());
        const { segments } = readCoverage('1')!.orderedLists[0]!;
        const complete = segments.filter(({ state }) => state === 'complete');
        const lacking = (ranges: readonly { from: number | null; to: number }[]) =>
          served.filter(
            (item) =>
              !has.has(String(item.id)) &&
              ranges.some(({ from, to }) => (from === null || from < day(item.day)) && day(item.day) < to),
          );
        expect(lacking(complete)).toEqual([]);
        const periods = reader
          .prepare<[], { from: number | null; to: number }>(
            'select from_ms as [from], to_ms as [to] from v_observed_periods',
          )
          .all();
        expect(lacking(periods)).toEqual([]);
        const start = segments[0]?.from ?? 0;
        const times = (ranges: readonly { from: number | null; to: number }[]) =>
          mergeRanges(ranges.map(({ from, to }) => ({ from: from ?? start, to })).filter(({ from, to }) => from < to));
        expect(times(periods).map(({ from }) => from)).toEqual(times(complete).map(({ from }) => from));
        const isComplete = reader.prepare<[], number>('select is_complete from v_completeness').pluck().get();
        const isAllStored = list.items.every(({ id }) => has.has(String(id)));
        // Newer tweets do not make an earlier list incomplete.
        const isPruned = segments.some(({ state }) => state === 'pruned');
        expect(isPruned && isComplete === 1, JSON.stringify(segments)).toBe(false);
        expect(isPruned && isAllStored && event.is === 'prune' && !isUnderstated).toBe(false);
      }
    }),
    { numRuns: 15, examples: [[SKIPPED], [PRUNED_BESIDE], [STORED_AGAIN]] },
  );
});
