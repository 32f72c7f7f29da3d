import { DAY, SECOND } from '#base/clock.ts';
import type { CrawlCheckpoint } from '#service/kinds/checkpoint.ts';
import type { PageSummary } from '#store/normalise/parse-page.ts';
import type { EndpointFinding } from '#store/schema/commit-messages.ts';
import { digestItems } from './cursor-origin.ts';

/** How long a page that equals the one before waits for its second request: it may come from a cache, ms. */
const REPEATED_PAGE_WAIT = 30 * SECOND;

export const INCOMPLETE = 'incomplete';

/** The second request of a page. */
export interface PageRetry {
  readonly checkpoint: CrawlCheckpoint;
  readonly waitMs: number;
  readonly why: string;
}

/**
 * Decides whether a page is requested once more, before its crawl decides by it: once per list after an incomplete response,
 * unless the endpoint sent the same sign again in the last day; and once after a page that equals the one before, by POST.
 */
export function decideRetry(
  page: PageSummary,
  checkpoint: CrawlCheckpoint,
  {
    cursor,
    at,
    findings,
  }: { readonly cursor: string | null; readonly at: number; readonly findings: readonly EndpointFinding[] },
): PageRetry | undefined {
  const { incomplete, itemIds } = page;
  if (incomplete !== undefined) {
    const isRepeated = findings.some(
      ({ finding, outcome, seenAt }) => finding === INCOMPLETE && outcome === incomplete && at - seenAt < DAY,
    );
    if (checkpoint.hasRetriedIncomplete || isRepeated) return undefined;
    const why = `the response is incomplete (${incomplete})`;
    return { checkpoint: { ...checkpoint, hasRetriedIncomplete: true }, waitMs: 0, why };
  }
  // The text of a hint is sent once.
  if (checkpoint.isRepeatedPage || checkpoint.hint || cursor === null || itemIds.length === 0) return undefined;
  if (digestItems(itemIds) !== checkpoint.cycleDetector.lastPage) return undefined;
  const why = 'the page equals the one before';
  return { checkpoint: { ...checkpoint, isRepeatedPage: true }, waitMs: REPEATED_PAGE_WAIT, why };
}
