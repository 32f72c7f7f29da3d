import type { CrawlLine } from '../../dashboard/api/overview.ts';
import { formatCount } from '../../text.ts';
import { formatRest } from '../format.ts';
import { now } from '../live/now.ts';

/** Pages done, and how many were planned. */
export function CrawlProgress({ row: { pages, plannedPages, state, finishedAt } }: { readonly row: CrawlLine }) {
  if (plannedPages === null || finishedAt !== null) return <>{formatCount(pages)}</>;
  const planned = Math.max(plannedPages, pages);
  return (
    <>
      <span class="nowrap">
        {formatCount(pages)}{' '}
        <span class="muted">
          of {pages > plannedPages ? 'more than ' : 'about '}
          {formatCount(plannedPages)}
        </span>
      </span>
      <span class={`progress ${state}`} aria-hidden="true">
        <i style={{ width: `${planned === 0 ? 0 : (100 * pages) / planned}%` }} />
      </span>
    </>
  );
}

/** Why a crawl is in its state, and when it resumes. */
export function CrawlReason({ row: { state, resumeAt, reason } }: { readonly row: CrawlLine }) {
  const isWaiting = state === 'paused' && resumeAt !== null && resumeAt > now.value;
  return (
    <bdi class="clamp-2" title={reason}>
      {reason}
      {isWaiting && `, resumes in ${formatRest(resumeAt, now.value)}`}
    </bdi>
  );
}
