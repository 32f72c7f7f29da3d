import { describeStopReason } from '../crawls/crawl-reasons.ts';
import type { DescribedReason } from './coverage-model.ts';

/** The reasons of segments, of incomplete lists and of differences, in English. */

interface SegmentReason {
  readonly text: string;
  /** Whether another crawl may read what is missing. If not, the service does not show it. */
  readonly isCollectable: boolean;
}

const collectable = (text: string): SegmentReason => ({ text, isCollectable: true });
const notShown = (text: string): SegmentReason => ({ text, isCollectable: false });

/**
 * Why a part of a list, or a list, is not complete, where the reason of its crawl does not say it (`crawl-reasons.ts`).
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
  erased: notShown('accounts in it are forgotten, and erased'),
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
