import type { OverviewData } from '../../../dashboard/api/overview.ts';
import { pluralize } from '../../../text.ts';
import { FACTS } from '../../app/facts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format.ts';
import { connection, overview, storeProblem } from '../../live/live-updates.ts';
import { AttentionList } from './attention-list.tsx';
import { BurnDown } from './burn-down.tsx';
import { CrawlPanel } from './crawl-panel.tsx';
import { Figures } from './figures.tsx';
import { QuotaPanel } from './quota-panel.tsx';
import { ShipPanel } from './ship-panel.tsx';
import { SpendingPanel } from './spending-panel.tsx';
import './overview.css';

/** What happens now: what needs attention, throughput, quota and crawls. */
export function OverviewPage() {
  const data = overview.value;
  return (
    <div class="page overview">
      <header class="page-header">
        <h1>Overview</h1>
        <p class="data-age">{data && <DataAge data={data} />}</p>
      </header>
      {data ? <Content data={data} /> : !storeProblem.value && <Waiting />}
    </div>
  );
}

function Content({ data }: { readonly data: OverviewData }) {
  const isEmpty = Object.keys(data.counts).length === 0;
  return (
    <>
      <AttentionList items={data.attention} isEmpty={isEmpty} />
      <Figures data={data} />
      <div class="quota-row">
        <QuotaPanel quota={data.quota} />
        <BurnDown quota={data.quota} at={data.at} />
        <SpendingPanel spending={data.spending} />
      </div>
      <ShipPanel targets={data.ship} />
      <CrawlPanel lines={data.crawls} isEmpty={isEmpty} />
    </>
  );
}

/** When the data changed, and who works. Not connected, the page shows an old state. */
function DataAge({ data }: { readonly data: OverviewData }) {
  const { changedAt, at, work } = data;
  const workers = [
    ...(work.workers === null ? [] : work.workers === 0 ? [] : [`${pluralize(work.workers, 'worker')} running`]),
    ...(work.runs === 0 ? [] : [pluralize(work.runs, 'run of trawl crawl', 'runs of trawl crawl')]),
  ];
  const who = workers.length > 0 ? workers.join(', ') : work.workers === 0 ? 'No worker running' : undefined;
  return (
    <>
      <span>
        <bdi>{FACTS.store}</bdi>
      </span>
      {changedAt === null ? (
        <span>No crawls yet</span>
      ) : (
        <span>
          Last change <TimeAgo at={changedAt} />
        </span>
      )}
      {who !== undefined && <span>{who}</span>}
      {connection.value === 'lost' && <span class="stale">Shown as of {formatUtc(at)}</span>}
    </>
  );
}

const Waiting = () =>
  connection.value === 'lost' ? (
    <EmptyState
      title="Not connected"
      action={<StoreCommand command={FACTS.isWritable ? 'work --dashboard' : 'dashboard'} />}
    >
      The dashboard was stopped. The page continues when it runs again.
    </EmptyState>
  ) : (
    <p class="loading">Reading the store…</p>
  );
