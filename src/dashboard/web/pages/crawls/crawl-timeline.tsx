import { formatCount, pluralize } from '#base/text.ts';
import type { CrawlData } from '#dashboard/server/api/crawl.ts';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { LinePlot } from '#dashboard/web/components/line-plot.tsx';
import { now } from '#dashboard/web/live/now.ts';

/** Requests, pages and failed requests since the start, beside the plan. */
export function CrawlTimeline({ data }: { readonly data: CrawlData }) {
  const { line, plan, timeline } = data;
  const { from, points } = timeline;
  const last = points.at(-1);
  if (!last)
    return (
      <EmptyState title="No requests">
        {line.startedAt === null ? 'No worker has taken this crawl.' : 'It ended without a request of its own.'}
      </EmptyState>
    );
  const [, requests, pages, failed] = last;
  const to = Math.max(line.finishedAt ?? now.value, last[0]);
  const all = [[from, 0, 0, 0] as const, ...points, [to, requests, pages, failed] as const];
  // A plan includes child crawls, which the lines leave out.
  const expected = data.children.total === 0 ? (plan?.expected ?? null) : null;
  return (
    <LinePlot
      description={`${pluralize(requests, 'request')}, ${pluralize(pages, 'page')} and ${formatCount(failed)} failed requests in total.`}
      times={all.map(([at]) => at)}
      lines={[
        { label: `Requests ${formatCount(requests)}`, color: 'chart-series-1', values: all.map(([, n]) => n) },
        { label: `Pages ${formatCount(pages)}`, color: 'chart-series-3', values: all.map(([, , n]) => n) },
        { label: `Failed ${formatCount(failed)}`, color: 'chart-gap', values: all.map(([, , , n]) => n) },
        ...(expected === null ? [] : [{ label: `Planned ${formatCount(expected)}`, color: 'muted', values: expected }]),
      ]}
    />
  );
}
