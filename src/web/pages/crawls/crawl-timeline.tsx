import type { CrawlData } from '../../../dashboard/api/crawl.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Plot } from '../../components/plot.tsx';
import { now } from '../../live/now.ts';

/** Requests, pages and failed requests since the start, beside the plan. */
export function CrawlTimeline({ data }: { readonly data: CrawlData }) {
  const { line, plan, timeline } = data;
  const { from, points } = timeline;
  const last = points.at(-1);
  if (!last)
    return (
      <EmptyState title="No request yet">
        {line.startedAt === null ? 'No worker has taken this crawl.' : 'It ended without a request of its own.'}
      </EmptyState>
    );
  const to = Math.max(line.finishedAt ?? now.value, last[0]);
  const all = [[from, 0, 0, 0] as const, ...points, [to, last[1], last[2], last[3]] as const];
  const [, requests, pages, failed] = last;
  // A plan includes child crawls, which the lines leave out.
  const expected = data.children.total === 0 ? (plan?.expected ?? null) : null;
  return (
    <>
      <Plot
        description={`${pluralize(requests, 'request')}, ${pluralize(pages, 'page')} and ${formatCount(failed)} failed requests in total.`}
        times={all.map(([at]) => at)}
        from={from}
        to={to}
        height={200}
        lines={[
          { label: 'Requests', color: 'chart-series-1', values: all.map(([, n]) => n) },
          { label: 'Pages', color: 'chart-series-3', values: all.map(([, , n]) => n) },
          ...(failed > 0 ? [{ label: 'Failed', color: 'chart-gap', values: all.map(([, , , n]) => n) }] : []),
        ]}
        marks={expected === null ? [] : [{ label: 'planned', color: 'muted', value: expected }]}
      />
      <ul class="plot-legend">
        <li class="series-1">Requests {formatCount(requests)}</li>
        <li class="series-3">Pages {formatCount(pages)}</li>
        {failed > 0 && <li class="failed">Failed {formatCount(failed)}</li>}
        {expected !== null && <li class="planned">Planned {formatCount(expected)}</li>}
      </ul>
    </>
  );
}
