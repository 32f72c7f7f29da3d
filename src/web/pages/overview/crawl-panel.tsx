import { useState } from 'preact/hooks';
import type { CrawlLines } from '../../../dashboard/api/overview.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { CrawlTable } from '../../components/crawl-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { useRead } from '../../live/use-read.ts';

const VIEWS = { attention: 'Active and needs attention', newest: 'Newest' } as const;
type View = keyof typeof VIEWS;

/** The crawls: by default those that are active or need attention. */
export function CrawlPanel({ lines, isEmpty }: { readonly lines: CrawlLines; readonly isEmpty: boolean }) {
  const [view, setView] = useState<View>('attention');
  return (
    <Panel
      id="crawls"
      title="Crawls"
      class="crawls"
      note={
        <div class="choices" role="group" aria-label="Crawls to show">
          {(Object.keys(VIEWS) as View[]).map((one) => (
            <button key={one} aria-pressed={view === one} onClick={() => setView(one)}>
              {VIEWS[one]}
            </button>
          ))}
        </div>
      }
    >
      {view === 'attention' ? <Lines lines={lines} view={view} isEmpty={isEmpty} /> : <Newest isEmpty={isEmpty} />}
    </Panel>
  );
}

function Newest({ isEmpty }: { readonly isEmpty: boolean }) {
  const { data, problem } = useRead<CrawlLines>('/api/overview/newest-crawls');
  if (problem !== undefined) return <ProblemBanner title="The crawls could not be read." problem={problem} />;
  return data ? <Lines lines={data} view="newest" isEmpty={isEmpty} /> : <p class="loading">Reading…</p>;
}

function Lines({
  lines,
  view,
  isEmpty,
}: {
  readonly lines: CrawlLines;
  readonly view: View;
  readonly isEmpty: boolean;
}) {
  if (isEmpty)
    return (
      <EmptyState title="No crawls yet" action={<StoreCommand command="crawl timeline @nasa" />}>
        The store is empty. The first crawl fills it.
      </EmptyState>
    );
  if (lines.total === 0)
    return (
      <EmptyState title="No active crawl">
        All crawls have ended, and none failed without a later repetition.
      </EmptyState>
    );
  const more = lines.total - lines.rows.length;
  return (
    <>
      <CrawlTable caption={VIEWS[view]} rows={lines.rows} counted="tree" />
      <p class="more">
        Pages and requests include child crawls.{' '}
        {more > 0 && `The first ${formatCount(lines.rows.length)} of ${pluralize(lines.total, 'crawl')}. `}
        <a href="/crawls">All crawls</a>
      </p>
    </>
  );
}
