import { formatBytes, formatDaysLeft, formatDuration } from '#base/units.ts';
import type { OverviewData } from '#dashboard/server/api/overview.ts';
import type { FigureData } from '#dashboard/web/components/figure-list.tsx';
import { formatFigure } from '#dashboard/web/format-numbers.ts';
import { attention } from '#dashboard/web/live/live-updates.ts';

/** The four figures: throughput, crawls, attention and growth. */
export const listFigures = (data: OverviewData): FigureData[] => [
  { name: 'Throughput', ...describeThroughput(data) },
  { name: 'Crawls', ...describeCrawls(data) },
  { name: 'Needs attention', ...describeAttention(data) },
  { name: 'Growth', ...describeGrowth(data) },
];

type Figure = Omit<FigureData, 'name'>;

const withUnit = (value: string, unit: string) => (
  <span class="nowrap">
    {value} <span class="unit">{unit}</span>
  </span>
);

/** The rate of the last minute; with few requests, that of the shortest period with one. */
function describeThroughput({ throughput }: OverviewData): Figure {
  const busy = throughput.find(({ requests }) => requests > 0);
  if (!busy)
    return {
      value: withUnit('0', 'requests/min'),
      note: `No request in the last ${formatDuration(throughput.at(-1)?.ms ?? 0)}`,
    };
  const perMinute = (n: number): string => formatFigure(n / (busy.ms / 60_000));
  return {
    value: withUnit(perMinute(busy.requests), 'requests/min'),
    note: [
      `${perMinute(busy.items)} items/min over the last ${formatDuration(busy.ms)}`,
      ...(busy.failed > 0 ? [`${formatFigure(busy.failed)} failed`] : []),
      ...(busy.notFound > 0 ? [`${formatFigure(busy.notFound)} not found`] : []),
    ].join(', '),
  };
}

function describeCrawls({ counts }: OverviewData): Figure {
  const { running = 0, queued = 0, complete = 0, capped = 0, partial = 0 } = counts;
  return {
    value: (
      <>
        {withUnit(formatFigure(running), 'running')} {withUnit(formatFigure(queued), 'queued')}
      </>
    ),
    note: `${formatFigure(complete + capped)} complete or capped, ${formatFigure(partial)} partial`,
  };
}

function describeAttention({ counts }: OverviewData): Figure {
  const { paused = 0, failed = 0 } = counts;
  const { open } = attention.value;
  const hasError = open.some(({ severity }) => severity === 'error');
  return {
    value: withUnit(formatFigure(open.length), open.length === 1 ? 'item' : 'items'),
    note: `${formatFigure(paused)} paused, ${formatFigure(failed)} failed crawls`,
    tone: hasError ? 'bad' : open.length > 0 ? 'warn' : '',
  };
}

function describeGrowth({ growth }: OverviewData): Figure {
  const { bytes, walBytes, growthBytesPerDay, freeBytes, daysLeft } = growth;
  const space = daysLeft === null ? `${formatBytes(freeBytes)} free` : `space for ${formatDaysLeft(daysLeft)}`;
  if (growthBytesPerDay === null)
    return {
      value: withUnit(formatBytes(bytes), 'stored'),
      note: `${formatBytes(walBytes)} log; growth is known after a day; ${space}`,
    };
  return {
    value: withUnit(formatBytes(growthBytesPerDay), 'a day'),
    note: `${formatBytes(bytes)} stored, ${formatBytes(walBytes)} log, ${space}`,
  };
}
