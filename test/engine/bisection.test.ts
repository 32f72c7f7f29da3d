import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import {
  bisectWindow,
  type SearchPage,
  decideWindow,
  buildExactDayQuery,
  buildWindowQuery,
  type DateWindow,
} from '#crawl/search/date-windows.ts';
import type { ListPosition } from '#store/normalise/parse-page.ts';

/** A service whose search is sorted by a relevance of its own, cut to a page, and takes its dates in one of four ways. */
interface Service {
  readonly tweets: readonly ListPosition[];
  readonly page: number;
  readonly sinceCounts: boolean;
  readonly untilCounts: boolean;
}

function search({ tweets, page, sinceCounts, untilCounts }: Service, rawQuery: string): SearchPage {
  const [since, until] = [/since:(\S+)/, /until:(\S+)/].map((pattern) => Date.parse(pattern.exec(rawQuery)![1]!));
  const from = sinceCounts ? since! : since! + DAY;
  const to = untilCounts ? until! + DAY : until!;
  const found = tweets.filter(({ at }) => at! >= from && at! < to).slice(0, page);
  return { served: found.length, tweets: found };
}

/** Windows down to the last, as crawls open them. Returns what was found, which days are saturated, and the searches sent. */
function backfill(service: Service, span: DateWindow) {
  const found = new Set<string>();
  const saturated = new Set<number>();
  const asked: string[] = [];
  // What is learnt first: how long a page of the same words without dates is.
  let longest = service.tweets.slice(0, service.page).length;
  const line: { window: DateWindow; isExact: boolean; before?: SearchPage }[] = [{ window: span, isExact: false }];
  for (let one = line.shift(); one; one = line.shift()) {
    const { window, isExact, before } = one;
    const rawQuery = (isExact ? buildExactDayQuery : buildWindowQuery)('moon', window);
    asked.push(rawQuery);
    const page = search(service, rawQuery);
    longest = Math.max(longest, page.served);
    for (const { id } of page.tweets) found.add(id);
    const outcome = decideWindow({ window, isExact, page, before, longest });
    if (outcome === 'saturated') saturated.add(window.from);
    if (outcome === 'exact') line.push({ window, isExact: true, before: page });
    if (outcome === 'halve')
      line.push(...bisectWindow(window).map((half) => ({ window: half, isExact: false, before: page })));
  }
  return { found, saturated, asked };
}

const DAYS = 40;
const START = 20_000 * DAY;
const SPAN: DateWindow = { from: START, to: START + DAYS * DAY };

/** Some days with bursts, the rest thin; in an order of relevance that means nothing, or by time. */
const services: fc.Arbitrary<Service> = fc
  .record({
    thin: fc.array(fc.integer({ min: -DAY, max: (DAYS + 1) * DAY }), { maxLength: 40 }),
    bursts: fc.array(fc.tuple(fc.integer({ min: -1, max: DAYS }), fc.integer({ min: 1, max: 60 })), { maxLength: 4 }),
    page: fc.integer({ min: 1, max: 20 }),
    order: fc.constantFrom('newest', 'oldest', 'any', 'bursts first'),
    seed: fc.integer(),
    sinceCounts: fc.boolean(),
    untilCounts: fc.boolean(),
  })
  .map(({ thin, bursts, order, seed, ...rest }) => {
    const burst = bursts.flatMap(([day, n]) => Array.from({ length: n }, (_, i) => day * DAY + i * 1000));
    const tweets = [...burst, ...thin].map((at, i) => ({ id: String(i), at: START + at }));
    const mixed = (id: string): number => Math.imul(Number(id) + seed, 0x9e3779b1) >>> 0;
    if (order === 'any') tweets.sort((a, b) => mixed(a.id) - mixed(b.id));
    if (order === 'newest') tweets.sort((a, b) => b.at - a.at);
    if (order === 'oldest') tweets.sort((a, b) => a.at - b.at);
    return { ...rest, tweets };
  });

describe('the bisection of a search', () => {
  it('finds every tweet of every unsaturated day, for any ranking and reading of dates', () => {
    fc.assert(
      fc.property(services, (service) => {
        const { found, saturated } = backfill(service, SPAN);
        const lacking = service.tweets.filter(({ id, at }) => {
          const isWanted = at! >= SPAN.from && at! < SPAN.to;
          return isWanted && !found.has(id) && !saturated.has(Math.floor(at! / DAY) * DAY);
        });
        expect(lacking).toEqual([]);
      }),
      { numRuns: 2000 },
    );
  });

  it('marks no day with less than a page as saturated, if `since:` includes its day and `until:` does not', () => {
    fc.assert(
      fc.property(services, (service) => {
        const own = { ...service, sinceCounts: true, untilCounts: false };
        for (const day of backfill(own, SPAN).saturated) {
          const inDay = own.tweets.filter(({ at }) => at! >= day && at! < day + DAY);
          expect(inDay.length).toBeGreaterThanOrEqual(Math.min(own.page, own.tweets.length));
        }
      }),
      { numRuns: 500 },
    );
  });

  it('searches no window twice, and ends', () => {
    fc.assert(
      fc.property(services, (service) => {
        const { asked } = backfill(service, SPAN);
        expect(new Set(asked).size).toBe(asked.length);
        expect(asked.length).toBeLessThan(3 * DAYS);
      }),
      { numRuns: 500 },
    );
  });

  it('needs one request for a window without tweets, and three for one whose tweets fit on a page', () => {
    const service = { tweets: [], page: 20, sinceCounts: true, untilCounts: false };
    expect(backfill(service, SPAN).asked).toEqual([buildWindowQuery('moon', SPAN)]);
    const few = [3, 9, 30, 31].map((days, i) => ({ id: String(i), at: START + days * DAY }));
    expect(backfill({ ...service, tweets: few }, SPAN).asked).toHaveLength(3);
  });

  it('handles a burst that fills the pages of all windows around it', () => {
    const tweets = Array.from({ length: 30 }, (_, i) => ({ id: String(i), at: START + 7 * DAY + i * 60_000 }));
    const { found, saturated } = backfill({ tweets, page: 10, sinceCounts: true, untilCounts: false }, SPAN);
    expect(found.size).toBe(10);
    expect([...saturated]).toEqual([START + 7 * DAY]);
  });

  it('does not trust a short page of a service that hid tweets on a short page', () => {
    const window = { from: START, to: START + DAY };
    const place = (id: string): ListPosition => ({ id, at: START });
    const before = { served: 2, tweets: [place('1'), place('2')] };
    const page = { served: 3, tweets: [...before.tweets, place('3')] };
    expect(decideWindow({ window, isExact: true, page, before, longest: 10 })).toBe('saturated');
  });
});
