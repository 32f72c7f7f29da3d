import { SECOND } from '#base/clock.ts';
import { clipRanges, mergeRanges, type TimeRange } from '#base/time-ranges.ts';
import { isPagedKind } from '#service/kinds/decide-end.ts';
import type { CoverageRow, GapRow } from '#store/coverage/intervals.ts';
import type { PrunedRangeRow } from '#store/coverage/pruned-ranges.ts';
import type { Segment, SegmentState, TimeAxis } from './coverage-model.ts';

type IntervalColumn = 'id' | 'oldestAt' | 'newestAt' | 'listEnd' | 'pages' | 'items';

/** An interval, and the time down to which it is evidence if only an end without evidence follows. */
export type EvidenceInterval = Pick<CoverageRow, IntervalColumn> & { readonly trustedFrom: number };

/** What the store knows of a list in chronological order. */
export interface SegmentEvidence {
  readonly kind: string;
  /** When the account was created; null if unknown. */
  readonly createdAt: number | null;
  /** The oldest time at which the account is known to have existed. */
  readonly oldestKnownAt: number;
  readonly intervals: readonly EvidenceInterval[];
  readonly gaps: readonly Pick<GapRow, 'coverageId' | 'reason' | 'crawlId'>[];
  /** Ranges that were searched for the tweets of the list. */
  readonly searched: readonly TimeRange[];
  /** What was removed from the list. */
  readonly pruned?: PrunedRangeRow | undefined;
  /** The start of the latest crawl that read the list. */
  readonly checkedAt: number;
  /** The start of the latest crawl that proves: no item was newer than the topmost interval. Without intervals: all of the list is stored. */
  readonly provenAt: number | null;
  /** What the time after `provenAt` is. */
  readonly rest: Pick<Segment, 'state' | 'reason' | 'crawlId'>;
}

/**
 * The axis of a list, and the segments that tile it, oldest first (invariants 4 and 5). Complete are
 * - the times between the bounds of an interval;
 * - all times before it, if the service ended the list and its specification pages it;
 * - the times from the topmost interval to the start of the crawl that found nothing newer.
 * What was removed of these times is pruned.
 */
export function buildSegments(evidence: SegmentEvidence): { axis: TimeAxis; segments: Segment[] } {
  const { provenAt, rest } = evidence;
  const axis = buildAxis(evidence);
  const searched = mergeRanges(evidence.searched);
  const segments: Segment[] = [];
  let at = axis.from;

  function addTo(to: number, state: SegmentState, more: Partial<Segment>): void {
    const range = { from: at, to };
    const parts = state === 'complete' ? [] : clipRanges(searched, range);
    segments.push({ ...range, state, reason: null, crawlId: null, pages: 0, items: 0, searched: parts, ...more });
    at = to;
  }

  for (const { from, to, below, pages, items } of mergeIntervals(evidence, axis)) {
    if (below !== null) addTo(from, below.state, below);
    if (to > at) addTo(to, 'complete', { pages, items });
  }
  const proven = provenAt === null ? at : Math.min(toWholeSecond(provenAt), axis.to);
  const last = segments.at(-1);
  if (proven > at && last?.state === 'complete') {
    segments[segments.length - 1] = { ...last, to: proven };
    at = proven;
  } else if (proven > at) addTo(proven, 'complete', {});
  if (axis.to > at) addTo(axis.to, rest.state, rest);
  return { axis, segments: segments.flatMap((segment) => splitAtPruned(segment, evidence.pruned)) };
}

/** Takes what was pruned out of a complete segment. Other segments stay: they were incomplete before. */
function splitAtPruned(segment: Segment, pruned: PrunedRangeRow | undefined): Segment[] {
  const { from, to, state, items } = segment;
  if (state !== 'complete' || pruned === undefined) return [segment];
  const { oldestAt, newestAt, prunedAt } = pruned;
  if (oldestAt === null || newestAt === null || oldestAt >= to || newestAt <= from) return [segment];
  const range = { from: Math.max(from, oldestAt), to: Math.min(to, newestAt) };
  const removed = { ...segment, ...range, pages: 0, items: pruned.items, prunedAt };
  return [
    ...(from < range.from ? [{ ...segment, to: range.from, pages: 0, items: 0 }] : []),
    { ...removed, state: 'pruned', reason: 'pruned' },
    ...(range.to < to ? [{ ...segment, from: range.to, items: Math.max(0, items - pruned.items) }] : []),
  ];
}

function buildAxis({ createdAt, oldestKnownAt, checkedAt, intervals }: SegmentEvidence): TimeAxis {
  const to = intervals.reduce((latest, { newestAt }) => Math.max(latest, newestAt), toWholeSecond(checkedAt));
  const start = Math.min(createdAt ?? oldestKnownAt, to);
  const from = intervals.reduce((first, { oldestAt }) => Math.min(first, oldestAt), start);
  return { from, isFromKnown: createdAt !== null, to };
}

/** A service may show times in whole seconds: items of the second of a check may be newer than the check. */
const toWholeSecond = (at: number): number => Math.floor(at / SECOND) * SECOND;

/** A complete range. `below` is what precedes it; null for the beginning of the list. */
interface CompleteRange extends TimeRange {
  readonly below: Pick<Segment, 'state' | 'reason' | 'crawlId'> | null;
  readonly pages: number;
  readonly items: number;
}

/**
 * The complete ranges of intervals, oldest first. Intervals that share only an instant stay apart: others of its items may
 * be missing. Intervals overlap only if pages of the list did not name their account.
 */
function mergeIntervals({ kind, intervals, gaps }: SegmentEvidence, axis: TimeAxis): CompleteRange[] {
  const gapBelow = new Map(gaps.map((gap) => [gap.coverageId, gap]));
  const ranges = intervals.map(({ id, listEnd, oldestAt, trustedFrom, newestAt: to, pages, items }): CompleteRange => {
    if (isProvenEnd({ kind, listEnd })) return { from: axis.from, to, below: null, pages, items };
    if (listEnd !== null) {
      const reason = listEnd === 'inferred' ? 'inferred_end' : 'last_page';
      return { from: trustedFrom, to, below: { state: 'unknown', reason, crawlId: null }, pages, items };
    }
    const { reason = 'interrupted', crawlId = null } = gapBelow.get(id) ?? {};
    return { from: oldestAt, to, below: { state: 'gap', reason, crawlId }, pages, items };
  });
  const merged: CompleteRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const last = merged.at(-1);
    if (last === undefined || range.from >= last.to) merged.push(range);
    else {
      const [pages, items] = [last.pages + range.pages, last.items + range.items];
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, range.to), pages, items };
    }
  }
  return merged;
}

/** Whether the end of an interval is evidence: the service ended a list that its specification pages (decision 29). */
export const isProvenEnd = ({ kind, listEnd }: Pick<CoverageRow, 'kind' | 'listEnd'>): boolean =>
  listEnd === 'served' && isPagedKind(kind);
