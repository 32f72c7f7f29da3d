import { formatCount } from '../../../../base/text.ts';
import { formatBytes, formatDuration, toIso } from '../../../../base/units.ts';
import type { CrawlData } from '../../../server/api/crawl.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { type Pair, PairList } from '../../components/pair-list.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatUtc } from '../../format-numbers.ts';

/** What happened, the latest first. */
export const listEvents = ({ events }: CrawlData): Pair[] =>
  events.map(({ at, text, isProblem }) => ({
    name: <time dateTime={toIso(at)}>{formatUtc(at).slice(5, 19)}</time>,
    value: text,
    isProblem,
  }));

const OUTCOMES: readonly Column<CrawlData['outcomes'][number]>[] = [
  ['Endpoint', ({ endpoint }) => endpoint, 'head'],
  ['Status', ({ status }) => <span class={status === 200 ? '' : 'bad'}>{status ?? 'no response'}</span>],
  ['Requests', ({ requests }) => formatCount(requests), 'number'],
  ['Bytes', ({ bytes }) => formatBytes(bytes), 'number'],
  ['Mean time', ({ meanMs }) => formatDuration(meanMs), 'number'],
];

/** The requests by endpoint and status. */
export const Outcomes = ({ outcomes }: Pick<CrawlData, 'outcomes'>) =>
  outcomes.length === 0 ? (
    <EmptyState title="No requests">Each request is counted when it is sent.</EmptyState>
  ) : (
    <DataTable
      caption="Requests by endpoint and status"
      columns={OUTCOMES}
      rows={outcomes}
      keyOf={({ endpoint, status }) => `${endpoint} ${status}`}
    />
  );

/** Items that could not be stored. */
export const Rejects = ({ id, rejects }: { readonly id: number } & Pick<CrawlData, 'rejects'>) => (
  <>
    <PairList pairs={rejects.map(({ path, reason }) => ({ name: <code>{path}</code>, value: reason }))} />
    <p class="more">
      <StoreCommand command={`sql "select * from rejects where crawl_id = ${id}"`} /> shows them in full. After an
      update, <StoreCommand command="rebuild --rejects" /> reads them again.
    </p>
  </>
);

/** Fields of an unexpected form, with the first value of each. */
export const listDroppedFields = ({ dropped }: CrawlData): Pair[] =>
  dropped.map(({ field, reason, values, sample }) => ({
    name: <code>{field}</code>,
    value: (
      <>
        {formatCount(values)} times: {reason}; first value <bdi class="sample">{sample.slice(0, 120)}</bdi>
      </>
    ),
  }));

/** What it was crawled with. */
export const Sources = ({ sources }: Pick<CrawlData, 'sources'>) =>
  sources.length === 0 ? (
    <p class="muted">Nothing is recorded: no worker has taken this crawl, or an earlier version of trawl crawled it.</p>
  ) : (
    <PairList
      pairs={sources.map(({ serviceHost, trawlVersion, keyLabel, firstUsedAt, lastUsedAt }) => ({
        name: <bdi>{serviceHost}</bdi>,
        value: (
          <>
            trawl {trawlVersion}, key label <bdi>{keyLabel}</bdi>, first used <TimeAgo at={firstUsedAt} />, last{' '}
            <TimeAgo at={lastUsedAt} />
          </>
        ),
      }))}
    />
  );
