import { formatCount, pluralize } from '../../../../base/text.ts';
import type { CrawlLines } from '../../../server/api/overview.ts';
import { CrawlTable } from '../../components/crawl-table.tsx';
import { EmptyState, NoCrawls } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';

/** The crawls that are active or need attention. */
export const CrawlPanel = ({
  lines: { rows, total },
  isEmpty,
}: {
  readonly lines: CrawlLines;
  readonly isEmpty: boolean;
}) => (
  <Panel id="crawls" title="Crawls" note={<a href="/crawls">All crawls</a>}>
    {isEmpty ? (
      <NoCrawls />
    ) : total === 0 ? (
      <EmptyState title="No active crawl">
        All crawls have ended, and none failed without a later repetition.
      </EmptyState>
    ) : (
      <>
        <CrawlTable caption="Active crawls, and those that need attention" rows={rows} counted="tree" />
        <p class="more">
          Pages and requests include child crawls.
          {rows.length < total && ` The first ${formatCount(rows.length)} of ${pluralize(total, 'crawl')}.`}
        </p>
      </>
    )}
  </Panel>
);
