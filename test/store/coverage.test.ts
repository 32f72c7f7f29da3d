import fc from 'fast-check';
import { expect, it } from 'vitest';
import { prepareCoverage } from '#store/coverage/coverage.ts';
import { readGaps, readIntervals } from '#store/coverage/intervals.ts';
import type { CoveredSpan } from '#store/schema/commit-messages.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { tempFile } from '../support/temp.ts';
import { pageOf, progressOf } from './support.ts';

/** Instants, and the halves between them: an interval covers the items strictly between its bounds. */
const LATEST = 30;
const INSTANTS = Array.from({ length: 2 * LATEST + 1 }, (_, i) => i / 2);

const mark = (at: number) => ({ id: `i${at}`, at });
const claimsAt = (
  at: number,
  spans: readonly { newestAt: number; oldestAt: number; listEnd?: string | null | undefined }[],
): boolean => spans.some((span) => at < span.newestAt && (span.listEnd ? true : at > span.oldestAt));

const bottoms = fc.constantFrom(undefined, undefined, undefined, 'served' as const, 'inferred' as const);
const spans = fc
  .tuple(fc.nat(LATEST), fc.nat(LATEST), bottoms, fc.constantFrom(undefined, undefined, 'rejected_items' as const))
  .filter(([a, b, bottom]) => a !== b || bottom !== undefined)
  .map(([a, b, bottom, below]): CoveredSpan => ({
    newest: mark(Math.max(a, b)),
    oldest: mark(Math.min(a, b)),
    bottom,
    below: bottom === undefined ? below : undefined,
    pages: 1,
    items: 2,
  }));

it('coverage is the union of all spans in any order, with a gap below each interval (invariant 5)', () => {
  const db = openDatabase(tempFile('store.db'));
  const coverage = prepareCoverage(db);
  db.$client.exec('begin');
  let lists = 0;
  fc.assert(
    fc.property(fc.array(fc.tuple(spans, fc.integer({ min: 1, max: 3 })), { minLength: 1, maxLength: 12 }), (pages) => {
      const target = `list${++lists}`;
      for (const [i, [span, id]] of pages.entries()) {
        const progress = progressOf({ targetRestId: target, items: 2 });
        coverage.addPage({ id, kind: 'timeline', target }, pageOf(id, 1, i, { progress, coverage: { spans: [span] } }));
        // Other lists do not change this one.
        coverage.addPage({ id, kind: 'replies', target }, pageOf(id, 1, i, { progress, coverage: { spans: [span] } }));

        const intervals = readIntervals(db, { kinds: ['timeline'], targets: [target] });
        const gaps = readGaps(db, { kinds: ['timeline'], targets: [target] });
        const said = pages
          .slice(0, i + 1)
          .map(([{ newest, oldest, bottom }]) => ({ newestAt: newest.at, oldestAt: oldest.at, listEnd: bottom }));
        // An instant at which two intervals only meet is not covered.
        const wrong = INSTANTS.filter((at) => claimsAt(at, intervals) !== claimsAt(at, said));
        expect(wrong, `of ${JSON.stringify(said)}`).toEqual([]);
        const below = intervals.map((_, n) => intervals[n + 1]);
        expect(intervals.filter(({ oldestAt }, n) => (below[n]?.newestAt ?? -1) > oldestAt)).toEqual([]);
        expect(intervals.map(({ oldestAt, newestAt }) => [`i${oldestAt}`, `i${newestAt}`])).toEqual(
          intervals.map(({ oldestRestId, newestRestId }) => [oldestRestId, newestRestId]),
        );
        const expected = intervals.flatMap(({ listEnd: bottom, oldestAt, oldestRestId, id: coverageId }, n) => {
          if (bottom !== null) return [];
          const lower = { olderAt: below[n]?.newestAt ?? null, olderRestId: below[n]?.newestRestId ?? null };
          return [{ coverageId, newerAt: oldestAt, newerRestId: oldestRestId, ...lower }];
        });
        expect(gaps).toMatchObject(expected);
        expect(gaps).toHaveLength(expected.length);
      }
    }),
    { numRuns: 400 },
  );
  db.$client.close();
});
