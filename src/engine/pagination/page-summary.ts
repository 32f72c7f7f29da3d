import type { PageCursor } from '../../contract/cursors.ts';
import type { NormalisedPage } from '../../normalise/pages.ts';

/** What a decision needs of a page: plain data, without the rows. */
export interface PageSummary extends Omit<NormalisedPage, 'rows'> {
  readonly cursor: PageCursor;
  /** How many entries of the list were served, rejected ones included. */
  readonly servedCount: number;
  /** The replies that the requested tweet counts; undefined on other pages. */
  readonly replyCount: number | null | undefined;
}
