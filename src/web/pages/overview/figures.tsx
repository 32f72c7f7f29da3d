import type { ComponentChildren } from 'preact';
import type { OverviewData } from '../../../dashboard/api/overview.ts';
import { formatBytes, formatDuration } from '../../../units.ts';
import { formatFigure } from '../../format.ts';

/** The four figures: throughput, crawls, attention and growth. */
export const Figures = ({ data }: { readonly data: OverviewData }) => (
  <dl class="figures">
    <Throughput data={data} />
    <Crawls data={data} />
    <Attention data={data} />
    <Growth data={data} />
  </dl>
);

interface FigureProps {
  readonly name: string;
  readonly value: string;
  readonly unit: string;
  /** A second number of the same weight. */
  readonly second?: { readonly value: string; readonly unit: string };
  readonly class?: string;
  readonly children: ComponentChildren;
}

const Figure = ({ name, value, unit, second, class: className = '', children }: FigureProps) => (
  <div class={`figure ${className}`}>
    <dt>{name}</dt>
    <dd>
      {[{ value, unit }, ...(second ? [second] : [])].map((each) => (
        <span key={each.unit} class="figure-value">
          <strong>{each.value}</strong> <span class="unit">{each.unit}</span>
        </span>
      ))}
      <span class="figure-detail">{children}</span>
    </dd>
  </div>
);

/** The rate of the last minute; with few requests, that of the shortest period with one. */
function Throughput({ data: { throughput } }: { readonly data: OverviewData }) {
  const [first] = throughput;
  const busy = throughput.find(({ requests }) => requests > 0);
  const hour = throughput.at(-1);
  if (!first || !busy || !hour)
    return (
      <Figure name="Throughput" value="0" unit="requests/min">
        No request in the last {formatDuration(hour?.ms ?? 0)}
      </Figure>
    );
  const perMinute = (n: number): string => formatFigure(n / (busy.ms / 60_000));
  const failed = busy.failed > 0 ? `, ${formatFigure(busy.failed)} failed` : '';
  const notFound = busy.notFound > 0 ? `, ${formatFigure(busy.notFound)} not found` : '';
  return (
    <Figure name="Throughput" value={perMinute(busy.requests)} unit="requests/min">
      {perMinute(busy.items)} items/min over the last {formatDuration(busy.ms)}
      {failed}
      {notFound}
    </Figure>
  );
}

function Crawls({ data: { counts } }: { readonly data: OverviewData }) {
  const { running = 0, queued = 0, complete = 0, capped = 0, partial = 0 } = counts;
  return (
    <Figure
      name="Crawls"
      value={formatFigure(running)}
      unit="running"
      second={{ value: formatFigure(queued), unit: 'queued' }}
    >
      {formatFigure(complete + capped)} complete or capped, {formatFigure(partial)} partial
    </Figure>
  );
}

function Attention({ data: { attention, counts } }: { readonly data: OverviewData }) {
  const errors = attention.filter(({ severity }) => severity === 'error').length;
  const { paused = 0, failed = 0 } = counts;
  const tone = errors > 0 ? 'bad' : attention.length > 0 ? 'warn' : '';
  return (
    <Figure
      name="Needs attention"
      value={formatFigure(attention.length)}
      unit={attention.length === 1 ? 'item' : 'items'}
      class={tone}
    >
      {formatFigure(paused)} paused, {formatFigure(failed)} failed crawls
    </Figure>
  );
}

function Growth({ data: { growth } }: { readonly data: OverviewData }) {
  const { bytes, walBytes, bytesPerDay, free, daysLeft } = growth;
  const space = daysLeft === null ? `${formatBytes(free)} free` : `space for ${describeDays(daysLeft)}`;
  if (bytesPerDay === null)
    return (
      <Figure name="Growth" value={formatBytes(bytes)} unit="stored">
        {formatBytes(walBytes)} log; growth is known after a day; {space}
      </Figure>
    );
  return (
    <Figure name="Growth" value={formatBytes(bytesPerDay)} unit="a day">
      {formatBytes(bytes)} stored, {formatBytes(walBytes)} log, {space}
    </Figure>
  );
}

const describeDays = (days: number): string =>
  days > 3650 ? 'more than 10 years' : days < 1 ? 'less than a day' : `about ${formatFigure(Math.floor(days))} days`;
