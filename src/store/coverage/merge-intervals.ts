import type { CoveredSpan } from '../schema/commit-messages.ts';
import type { coverage } from '../schema/tables.ts';

type IntervalColumn = 'id' | `${'newest' | 'oldest'}${'RestId' | 'At'}` | 'listEnd' | 'pages' | 'items';
export type Interval = Readonly<Pick<typeof coverage.$inferSelect, IntervalColumn>>;

/** Returns whether a merge changes an interval. */
export const hasIntervalChanged = (span: CoveredSpan, merged: Omit<Interval, 'id'>, before: Interval): boolean =>
  merged.newestAt > before.newestAt || merged.listEnd !== before.listEnd || hasNewLowerEnd(span, merged, before);

/** Returns whether the lower end of an interval moves, or gets another reason. */
export const hasNewLowerEnd = (
  span: CoveredSpan,
  merged: Omit<Interval, 'id'>,
  before: Interval | undefined,
): boolean =>
  !before || merged.oldestAt < before.oldestAt || (span.below !== undefined && merged.oldestAt === span.oldest.at);

/** Merges a span with the intervals that it overlaps, oldest first. */
export function mergeIntervals(span: CoveredSpan, overlaps: readonly Interval[]): Omit<Interval, 'id'> {
  const [lowest] = overlaps;
  const highest = overlaps.at(-1);
  const isLower = !lowest || span.oldest.at < lowest.oldestAt;
  const isHigher = !highest || span.newest.at > highest.newestAt;
  return {
    newestRestId: isHigher ? span.newest.id : highest.newestRestId,
    newestAt: isHigher ? span.newest.at : highest.newestAt,
    oldestRestId: isLower ? span.oldest.id : lowest.oldestRestId,
    oldestAt: isLower ? span.oldest.at : lowest.oldestAt,
    listEnd: lowest?.listEnd === 'served' ? 'served' : (span.bottom ?? lowest?.listEnd ?? null),
    pages: overlaps.reduce((sum, { pages }) => sum + pages, span.pages),
    items: overlaps.reduce((sum, { items }) => sum + items, span.items),
  };
}
