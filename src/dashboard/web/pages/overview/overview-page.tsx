import { capitalise, formatCount, pluralize, toSentence } from '#base/text.ts';
import { formatDuration, formatPercent } from '#base/units.ts';
import type {
  OverviewData,
  CrawlLines,
  PriorityAnswer,
  QuotaData,
  SpendingData,
  ShipAnswer,
} from '#dashboard/server/api/overview.ts';
import { FACTS } from '#dashboard/web/app/facts.ts';
import { CrawlTable } from '#dashboard/web/components/crawl-table.tsx';
import { EmptyState, NoCrawls } from '#dashboard/web/components/empty-state.tsx';
import { FigureList } from '#dashboard/web/components/figure-list.tsx';
import { LinePlot } from '#dashboard/web/components/line-plot.tsx';
import { PageFrame } from '#dashboard/web/components/page-frame.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { ShareList } from '#dashboard/web/components/share-list.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { formatUtc, formatRest } from '#dashboard/web/format-numbers.ts';
import { connection, overview, storeProblem } from '#dashboard/web/live/live-updates.ts';
import { now } from '#dashboard/web/live/now.ts';
import { AttentionList } from './attention-list.tsx';
import { listFigures } from './list-figures.tsx';

/** What happens now: what needs attention, throughput, quota and crawls. */
export function OverviewPage() {
  const data = overview.value;
  return (
    <PageFrame title="Overview" facts={data && listFacts(data)}>
      {data ? <Content data={data} /> : !storeProblem.value && <Waiting />}
    </PageFrame>
  );
}

function Content({ data }: { readonly data: OverviewData }) {
  const isEmpty = Object.keys(data.counts).length === 0;
  return (
    <>
      <AttentionList isEmpty={isEmpty} />
      <FigureList figures={listFigures(data)} />
      <div class="columns">
        <QuotaPanel quota={data.quota} />
        <SpendingPanel spending={data.spending} />
      </div>
      <ShipPanel targets={data.ship} />
      <CrawlPanel lines={data.crawls} isEmpty={isEmpty} />
    </>
  );
}

/** When the data changed, and who works. Not connected, the page shows an old state. */
const listFacts = ({ changedAt, at, work }: OverviewData) => [
  <bdi>{FACTS.store}</bdi>,
  changedAt === null ? (
    'No crawls yet'
  ) : (
    <>
      Last change <TimeAgo at={changedAt} />
    </>
  ),
  work.state !== 'unknown' && capitalise(work.sentence),
  connection.value === 'lost' && <span class="bad">Shown as of {formatUtc(at)}</span>,
];

const Waiting = () =>
  connection.value === 'lost' ? (
    <EmptyState title="Not connected" command={FACTS.isWritable ? 'work --dashboard' : 'dashboard'}>
      The dashboard was stopped. The page continues when it runs again.
    </EmptyState>
  ) : (
    <p class="loading">Reading the store…</p>
  );

/** The crawls that are active or need attention. */
const CrawlPanel = ({ lines: { rows, total }, isEmpty }: { readonly lines: CrawlLines; readonly isEmpty: boolean }) => (
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

/** Workers ask twice a minute: a number that is older is a lower bound, since the service may have freed requests. */
const FRESH_MS = 60_000;

/** What is left of the quota, and where each priority stops. */
function QuotaPanel({ quota }: { readonly quota: QuotaData | null }) {
  if (!quota)
    return (
      <Panel id="quota" title="Quota">
        <EmptyState title="The quota is unknown" command="quota">
          No crawl has asked the service yet.
        </EmptyState>
      </Panel>
    );
  const { limit, left, sampledAt, note } = quota;
  const isOld = sampledAt === null || now.value - sampledAt > FRESH_MS;
  return (
    <Panel
      id="quota"
      title="Quota"
      note={
        sampledAt !== null && (
          <>
            Quota checked <TimeAgo at={sampledAt} />
          </>
        )
      }
    >
      <p class="figure">
        {isOld && <span class="unit">at least</span>} {formatCount(left)}{' '}
        <span class="unit">of {formatCount(limit)} requests left</span>
      </p>
      <Gauge quota={quota} isOld={isOld} />
      <p class="quota-reset muted">
        <Reset quota={quota} />
      </p>
      {note !== null && <p class="muted">{toSentence(note)}.</p>}
      <QuotaPlot quota={quota} />
    </Panel>
  );
}

const Gauge = ({
  quota: { limit, left, priorities, reserve },
  isOld,
}: {
  readonly quota: QuotaData;
  readonly isOld: boolean;
}) => (
  <>
    <meter
      aria-label="Quota left"
      max={limit}
      low={reserve}
      value={Math.min(left, limit)}
      aria-valuetext={`${isOld ? 'at least ' : ''}${formatCount(left)} of ${formatCount(limit)} requests left`}
    />
    <ul class="ticks" aria-label="Where each priority stops">
      {Object.entries(priorities).map(([name, priority]) => (
        <li key={name} class={priority.hold === null ? 'muted' : 'warn'}>
          <b>{name}</b> stops at {formatCount(priority.headroom ?? 0)}, {describePriority(priority)}
        </li>
      ))}
    </ul>
  </>
);

function describePriority({ spendable, hold }: PriorityAnswer): string {
  if (hold === null) return `may send ${formatCount(spendable)}`;
  const { until, cause } = hold;
  return `paused${until !== null && until > now.value ? ` for ${formatRest(until, now.value)}` : ''}: ${cause}`;
}

/** When the service frees requests. */
function Reset({ quota: { resetAt, left, limit } }: { readonly quota: QuotaData }) {
  if (resetAt === null) return <>The service does not say when it resets.</>;
  if (resetAt > now.value) return <>Resets in {formatRest(resetAt, now.value)}</>;
  if (left >= limit) return <>Nothing is used now.</>;
  return (
    <>
      Reset <TimeAgo at={resetAt} />, not checked since
    </>
  );
}

/** The quota over time, with the reserve. The line is broken where nobody asked the service. */
function QuotaPlot({ quota: { samples, limit, reserve } }: { readonly quota: QuotaData }) {
  const known = samples.flatMap(([, left]) => left ?? []);
  if (known.length < 2) return null;
  return (
    <LinePlot
      description={`Requests left: from ${formatCount(known[0]!)} to ${formatCount(known.at(-1)!)}, at least ${formatCount(Math.min(...known))}; the reserve is ${formatCount(reserve)} of ${formatCount(limit)}`}
      times={samples.map(([time]) => time)}
      lines={[
        { label: 'Requests left', color: 'accent', values: samples.map(([, left]) => left) },
        { label: 'Reserve', color: 'muted', values: reserve },
      ]}
    />
  );
}

/** Which crawls sent the requests of the last time. */
const SpendingPanel = ({ spending: { ms, requests, crawls, others } }: { readonly spending: SpendingData }) => {
  const toShare = (key: number, name: string, n: number) => ({
    key,
    name,
    note: key === 0 ? '' : `#${key}`,
    amount: `${pluralize(n, 'request')}, ${formatPercent(n / requests)}`,
    share: n / requests,
  });
  const shares = [
    ...crawls.map(({ id, name, requests: n }) => toShare(id, name, n)),
    ...(others > 0 ? [toShare(0, 'Others', others)] : []),
  ];
  return (
    <Panel id="spending" title="Requests by crawl" note={`last ${formatDuration(ms)}`}>
      {requests === 0 ? (
        <EmptyState title="No request was sent">No crawl uses the quota now.</EmptyState>
      ) : (
        <ShareList shares={shares} />
      )}
    </Panel>
  );
};

/** What waits for each target of shipping; nothing without targets. */
const ShipPanel = ({ targets }: { readonly targets: readonly ShipAnswer[] }) =>
  targets.length === 0 ? null : (
    <Panel id="ship" title="Shipping" note="The bar is full when crawls pause">
      <ShareList
        shares={targets.map((each) => ({
          key: each.target,
          name: each.target,
          amount: capitalise(each.sentence),
          share: each.waitingBytes / each.maxBacklogBytes,
          isLate: each.state !== 'current',
        }))}
      />
    </Panel>
  );
