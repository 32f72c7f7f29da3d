import { capitalise } from '../../../../base/text.ts';
import type { OverviewData } from '../../../server/api/overview.ts';
import { FACTS } from '../../app/facts.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { FigureList } from '../../components/figure-list.tsx';
import { PageFrame } from '../../components/page-frame.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format-numbers.ts';
import { connection, overview, storeProblem } from '../../live/live-updates.ts';
import { AttentionList } from './attention-list.tsx';
import { CrawlPanel } from './crawl-panel.tsx';
import { listFigures } from './list-figures.tsx';
import { QuotaPanel } from './quota-panel.tsx';
import { ShipPanel } from './ship-panel.tsx';
import { SpendingPanel } from './spending-panel.tsx';

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
