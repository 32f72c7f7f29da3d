import { describeCounts, isComparedList } from '#analysis/account-counts.ts';
import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { MINUTE } from '#base/clock.ts';
import { formatCount } from '#base/text.ts';
import { formatDay, formatMinute } from '#base/units.ts';
import { getKind, PROFILE_MAX_AGE } from '#service/kinds/kinds.ts';
import type { PrunedRangeRow } from '#store/coverage/pruned-ranges.ts';
import type { DescribedReason, CountComparison, CountPair, DifferenceReason, ListKind } from './coverage-model.ts';

/** The reasons of segments, of incomplete lists and of differences, in English. */

interface SegmentReason {
  readonly text: string;
  /** Whether another crawl may read what is missing. If not, the service does not show it. */
  readonly isCollectable: boolean;
}

const collectable = (text: string): SegmentReason => ({ text, isCollectable: true });
const notShown = (text: string): SegmentReason => ({ text, isCollectable: false });

/**
 * Why a part of a list, or a list, is not complete, where the reason of its crawl does not say it (`end-reasons.ts`).
 * docs/completeness.md says how to close it.
 */
const SEGMENT_REASONS: Readonly<Record<string, SegmentReason>> = {
  // Gaps: the reasons of the table `gaps`.
  open: collectable('its crawl is unfinished'),
  interrupted: collectable('interrupted'),
  since: collectable('start date of the crawl'),
  max_pages: collectable('page limit'),
  max_requests: collectable('request budget'),
  rejected_items: collectable('an item was rejected'),
  out_of_order: notShown('the list is not in chronological order'),
  one_page: notShown('the service shows one page only'),
  saturated: notShown('a search shows no more of this day'),
  cursor_unreadable: collectable('the cursor could not be read'),
  // Parts that were read as far as the service shows them.
  inferred_end: notShown('the end of the list was inferred from empty pages; more may exist'),
  last_page: notShown('the service shows no more; more may exist'),
  list_cut_short: notShown(
    'the list is shorter than the count of the account explains: accounts that it lacks are candidates, no unfollows',
  ),
  erased: notShown('forgotten accounts were removed from it'),
  unproven: collectable('no crawl proves that it is complete'),
  pruned: notShown('pruned: removed from the database after it was collected'),
  // Lists that were never read.
  not_collected: collectable('it was not collected'),
  not_available: notShown('the service does not have the account'),
};

/** Describes the reason of a segment or of a list. Unknown reasons, of other versions, are shown as they are. */
export const describeReason = (reason: string): string => SEGMENT_REASONS[reason]?.text ?? describeStopReason(reason);

/** Returns what is said of a reason; nulls without one. */
export const explainReason = (reason: string | null): DescribedReason => ({
  description: reason === null ? null : describeReason(reason),
  isCollectable:
    reason === null
      ? null
      : (SEGMENT_REASONS[reason]?.isCollectable ?? !['cursor_ignored', 'list_closed'].includes(reason)),
});

/** What the store knows about the difference between the rows of a list and the count of the account's profile. */
interface DifferenceEvidence extends CountPair {
  readonly kind: ListKind;
  /** When the list was last read; null if it never was. */
  readonly readAt: number | null;
  /** Why it is not complete, with the number of its parts; empty for a complete list. */
  readonly unproven: ReadonlyMap<string, number>;
  /** Items that are not stored, since their accounts are forgotten. */
  readonly erased?: number;
  /** Rows that are stored from elsewhere. */
  readonly others?: number;
  /** Stored tweets that the service reports as deleted, and tweets that their list lacks. */
  readonly deleted?: number;
  readonly suspected?: number;
  /** What was removed from the list. */
  readonly pruned?: Pick<PrunedRangeRow, 'items' | 'prunedAt'> | undefined;
  /** Stored edges that the latest complete list lacks: a second one ends them. */
  readonly missedOnce?: number;
}

const NOT_COMPARED = 'the service may count replies, too, so its count is not compared with original tweets alone';

/** Compares the stored rows of a list with the count of its profile. */
export function compareCounts(evidence: DifferenceEvidence): CountComparison {
  const { kind, stored, reported, reportedAt } = evidence;
  const counts = { stored, reported, reportedAt };
  const difference = explainDifference(evidence);
  const explanation = describeDifference(counts, difference);
  return { ...counts, difference, explanation, counted: describeCounts(kind, counts) };
}

/** Explains why stored and reported differ, as far as there is evidence. Empty if they are equal. */
function explainDifference(evidence: DifferenceEvidence): DifferenceReason[] {
  const { kind, stored, reported, reportedAt, readAt, unproven } = evidence;
  const items = getKind(kind).itemName;
  if (!isComparedList(kind)) return describeUncompared(evidence);
  if (reported === null) return [toReason('not_reported', null, 'the service has not reported a count')];
  if (stored === reported) return [];
  const reasons: (DifferenceReason | undefined)[] =
    stored < reported
      ? [
          ...listMissingParts(evidence),
          countReason(
            'erased',
            evidence.erased,
            (n) =>
              `${n} ${n === 1 ? 'is' : 'are'} erased: ${n === 1 ? 'its account is' : 'their accounts are'} forgotten`,
          ),
          readAt !== null && unproven.size === 0 && !evidence.pruned && reported - stored > (evidence.erased ?? 0)
            ? toReason(
                'shorter_list',
                reported - stored - (evidence.erased ?? 0),
                reportedAt !== null && reportedAt - readAt > MINUTE
                  ? 'the count is newer than the list, which the service ended: the difference may be later growth'
                  : `the service ended the list, which shows fewer ${items} than it counts`,
              )
            : undefined,
          countReason(
            'other_sources',
            evidence.others,
            (n) => `${n} more ${n === 1 ? 'is' : 'are'} stored from elsewhere`,
          ),
        ]
      : [
          ...listGoneItems(evidence),
          countReason(
            'missed_once',
            evidence.missedOnce,
            (n) =>
              `${n} of the stored ${items} ${n === 1 ? 'is' : 'are'} missing from the latest complete list; a second one ends them`,
          ),
        ];
  if (readAt !== null && reportedAt !== null && Math.abs(reportedAt - readAt) > PROFILE_MAX_AGE) {
    const isSameDay = formatDay(reportedAt) === formatDay(readAt);
    const [counted, read] = [reportedAt, readAt].map((at) => (isSameDay ? formatMinute(at) : formatDay(at)));
    const text = `the count is of ${counted}, the list of ${read}`;
    reasons.push(toReason(reportedAt < readAt ? 'older_count' : 'newer_count', null, text));
  }
  const known = reasons.filter((reason) => reason !== undefined);
  return known.length > 0 ? known : [toReason('unexplained', null, 'no stored data explains it')];
}

/** `944 fewer stored than reported: not complete: page limit`; empty if the numbers are equal. */
function describeDifference({ stored, reported }: CountPair, difference: readonly DifferenceReason[]): string {
  if (difference.length === 0) return '';
  const reasons = difference.map(({ text }) => text).join('; ');
  if (reported === null) return reasons;
  const amount = formatCount(Math.abs(reported - stored));
  return `${amount} ${stored < reported ? 'fewer' : 'more'} stored than reported: ${reasons}`;
}

/** What is known of a list that may not be compared with the count. */
const describeUncompared = (evidence: DifferenceEvidence): DifferenceReason[] =>
  [toReason('not_compared', null, NOT_COMPARED), ...listMissingParts(evidence), ...listGoneItems(evidence)].filter(
    (reason) => reason !== undefined,
  );

const listMissingParts = ({ pruned, unproven }: DifferenceEvidence): DifferenceReason[] => [
  ...(pruned ? [describePruned(pruned)] : []),
  ...[...unproven].map(([reason, parts]) => toReason(reason, parts, describePart(reason, parts))),
];

const listGoneItems = ({ kind, deleted, suspected }: DifferenceEvidence): (DifferenceReason | undefined)[] => [
  countReason(
    'deleted',
    deleted,
    (n) => `${n} of the stored ${getKind(kind).itemName} ${n === 1 ? 'is' : 'are'} deleted: the service answered 404`,
  ),
  countReason(
    'suspected',
    suspected,
    (n) =>
      `${n} of the stored ${getKind(kind).itemName} ${n === 1 ? 'is' : 'are'} missing from the list now, not confirmed as deleted`,
  ),
];

/** What was removed from a list is no reason to collect it again. */
const describePruned = ({ items, prunedAt }: Pick<PrunedRangeRow, 'items' | 'prunedAt'>): DifferenceReason =>
  toReason('pruned', items, `${items} ${items === 1 ? 'was' : 'were'} pruned, the last on ${formatDay(prunedAt)}`);

const toReason = (reason: string, count: number | null, text: string): DifferenceReason => ({ reason, count, text });

const countReason = (
  reason: string,
  count: number | undefined,
  describe: (n: number) => string,
): DifferenceReason | undefined =>
  count === undefined || count <= 0 ? undefined : toReason(reason, count, describe(count));

const describePart = (reason: string, parts: number): string =>
  `the list is not complete${parts === 1 ? '' : ` in ${parts} parts`}: ${describeReason(reason)}`;
