import { capitalise, formatCount, pluralize } from '#base/text.ts';
import { formatDuration, formatBytes, toIso } from '#base/units.ts';
import type { CrawlData, CrawlWaitCause } from '#dashboard/server/api/crawl.ts';
import { navigate } from '#dashboard/web/app/router.ts';
import { hrefOfAccount } from '#dashboard/web/components/account-link.tsx';
import { ActionButtons } from '#dashboard/web/components/action-buttons.tsx';
import { CrawlReason, CrawlTable, hrefOfTree } from '#dashboard/web/components/crawl-table.tsx';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { EmptyState } from '#dashboard/web/components/empty-state.tsx';
import { type FigureData, FigureList } from '#dashboard/web/components/figure-list.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { PairList, type Pair } from '#dashboard/web/components/pair-list.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { StateBadge } from '#dashboard/web/components/state-badge.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { describeRequests, formatFigure, formatUtc } from '#dashboard/web/format-numbers.ts';
import { now } from '#dashboard/web/live/now.ts';
import { sendAction } from '#dashboard/web/live/send-action.ts';
import { CrawlTimeline } from './crawl-timeline.tsx';

/** One crawl: its progress, its end with the evidence, and all that was recorded of it. */
export const CrawlPage = ({ id }: { readonly id: string }) => (
  <DataPage<CrawlData>
    path={`/api/crawls/${encodeURIComponent(id)}`}
    failure="This crawl cannot be shown."
    title={(data) => (data ? <Title line={data.line} /> : `Crawl ${id}`)}
    facts={listFacts}
    links={(data) => (data ? <Links data={data} /> : <a href="/crawls">All crawls</a>)}
  >
    {(data) => <Content data={data} />}
  </DataPage>
);

const Title = ({ line }: Pick<CrawlData, 'line'>) => (
  <>
    <span class="muted">
      {capitalise(line.kind)} #{line.id}
    </span>{' '}
    <bdi>{line.target}</bdi>
  </>
);

const listFacts = ({ line, options }: CrawlData) => [
  <>
    Created <TimeAgo at={line.createdAt} />
  </>,
  `${capitalise(line.priority)} priority`,
  options === '' ? 'Without limits' : capitalise(options),
];

const Links = ({ data: { accountId, parent, job, runId } }: { readonly data: CrawlData }) => (
  <>
    <a href="/crawls">All crawls</a>
    {accountId !== null && <a href={hrefOfAccount(accountId)}>Account</a>}
    {parent !== null && (
      <a href={`/crawls/${parent.id}`}>
        Parent: {parent.kind} <bdi>{parent.target}</bdi>
      </a>
    )}
    {job !== null && (
      <a href={`/crawls?job=${encodeURIComponent(job)}`}>
        Job <bdi>{job}</bdi>
      </a>
    )}
    {runId !== null && <a href={`/crawls?run=${runId}`}>Run {runId}</a>}
  </>
);

function Content({ data }: { readonly data: CrawlData }) {
  const { line, tree, children, rejectedItems } = data;
  return (
    <>
      <Evidence data={data} />
      <div class="row">
        <ActionButtons actions={listActions(data)} />
      </div>
      <FigureList figures={listFigures(data)} />
      <Panel
        id="timeline"
        title={tree === null ? 'Requests and pages over time' : 'Own requests and pages over time'}
        note="cumulative"
      >
        <CrawlTimeline data={data} />
      </Panel>
      {children.total > 0 && (
        <Panel
          id="children"
          title={`Child crawls: ${formatCount(children.total)}`}
          note={children.states.map(({ state, n }) => `${formatCount(n)} ${state}`).join(', ')}
        >
          <CrawlTable caption="Child crawls" rows={children.rows} counted="own" />
          {children.rows.length < children.total && (
            <p class="more">
              The latest {formatCount(children.rows.length)} that this crawl created itself.{' '}
              <a href={hrefOfTree(line.id)}>All child crawls</a>
            </p>
          )}
        </Panel>
      )}
      <Panel id="events" title="Events">
        <PairList pairs={listEvents(data)} />
      </Panel>
      <Panel id="outcomes" title="Requests by outcome">
        <Outcomes outcomes={data.outcomes} />
      </Panel>
      {rejectedItems > 0 && (
        <Panel id="rejects" title={`Rejected: ${pluralize(rejectedItems, 'item')}`}>
          <Rejects id={line.id} rejects={data.rejects} />
        </Panel>
      )}
      {data.dropped.length > 0 && (
        <Panel id="dropped" title="Fields that could not be read" note="their items are stored without them">
          <PairList pairs={listDroppedFields(data)} />
        </Panel>
      )}
      <Panel id="origin" title="Origin">
        <Sources sources={data.sources} />
      </Panel>
    </>
  );
}

/** The state, and the evidence for it. */
const Evidence = ({ data: { line, evidence, lastError } }: { readonly data: CrawlData }) => (
  <section class={`panel evidence ${line.state}`} aria-label="State">
    <p class="row">
      <StateBadge state={line.state} />
      {line.finishedAt !== null && (
        <span class="muted">
          <TimeAgo at={line.finishedAt} />
        </span>
      )}
      {line.state === 'paused' && (
        <span class="muted">
          <CrawlReason row={line} />
        </span>
      )}
    </p>
    {evidence.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
    {lastError !== null && (
      <p class="muted">
        Last error: <bdi>{lastError}</bdi>
      </p>
    )}
  </section>
);

/** What can be done with a crawl: cancel, resume or retry it, or crawl the same again. */
const listActions = ({ line, actions }: CrawlData) =>
  actions.map(({ name, label, explanation }) => ({
    label,
    title: `${label}: ${line.kind} #${line.id}?`,
    explanation: (
      <>
        <p>
          <bdi>{line.target}</bdi>
        </p>
        <p>{explanation}</p>
      </>
    ),
    async run() {
      const result = await sendAction<{ cancelled?: number; resumed?: number; opened?: number[]; refused?: string[] }>(
        `crawls/${name}`,
        { ids: [line.id] },
      );
      const { cancelled, resumed, opened, refused = [] } = result;
      if (refused.length > 0 && resumed === 0) throw new Error(`It cannot be resumed: ${refused.join(', ')}`);
      if (opened?.[0] !== undefined && opened[0] !== line.id) navigate(`/crawls/${opened[0]}`);
      if (cancelled !== undefined) return `${pluralize(cancelled, 'crawl')} cancelled.`;
      return resumed === undefined ? '' : `${pluralize(resumed, 'crawl')} queued.`;
    },
  }));

function listFigures({ line, plan, tree, waits, changes, rejectedItems }: CrawlData): FigureData[] {
  const own = tree === null ? '' : 'Own ';
  const withTree = (n: number | undefined) => (n === undefined ? [] : [`${formatCount(n)} with child crawls`]);
  return [
    {
      name: capitalise(`${own.toLowerCase()}pages`),
      value: formatFigure(line.pages),
      note: withTree(tree?.pages).join(),
    },
    {
      name: 'Items',
      value: formatFigure(line.items),
      note: [
        `${formatCount(line.newItems)} new`,
        ...(changes > 0 ? [`${formatCount(changes)} changes`] : []),
        ...(rejectedItems > 0 ? [`${formatCount(rejectedItems)} rejected`] : []),
      ].join(', '),
    },
    {
      name: capitalise(`${own.toLowerCase()}requests`),
      value: formatFigure(line.requests),
      note: [...withTree(tree?.requests), plan === null ? 'without a plan' : `planned: ${describeRequests(plan)}`].join(
        ', ',
      ),
    },
    {
      name: 'Duration',
      value: line.startedAt === null ? '–' : formatDuration((line.finishedAt ?? now.value) - line.startedAt),
      note: line.startedAt === null ? 'not started yet' : describeDuration(line.leftMs, waits),
    },
  ];
}

const CAUSES: Readonly<Record<CrawlWaitCause, string>> = {
  quota: 'for quota',
  failure: 'after failed requests',
  unknown: 'without a recorded cause',
};

/** `Time remaining 3 min; waited 3 h for quota, 40 min after failed requests`; empty for a crawl that did not wait. */
function describeDuration(leftMs: number | null, waits: CrawlData['waits']): string {
  const waited = (Object.keys(CAUSES) as CrawlWaitCause[]).flatMap((cause) => {
    const ms = waits.reduce((sum, wait) => sum + (wait.cause === cause ? wait.to - wait.from : 0), 0);
    return ms === 0 ? [] : [`${formatDuration(ms)} ${CAUSES[cause]}`];
  });
  const left = leftMs === null ? [] : [`time remaining ${formatDuration(leftMs)}`];
  return capitalise([...left, ...(waited.length === 0 ? [] : [`waited ${waited.join(', ')}`])].join('; '));
}

/** What happened, the latest first. */
const listEvents = ({ events }: CrawlData): Pair[] =>
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
const Outcomes = ({ outcomes }: Pick<CrawlData, 'outcomes'>) =>
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
const Rejects = ({ id, rejects }: { readonly id: number } & Pick<CrawlData, 'rejects'>) => (
  <>
    <PairList pairs={rejects.map(({ path, reason }) => ({ name: <code>{path}</code>, value: reason }))} />
    <p class="more">
      <StoreCommand command={`sql "select * from rejects where crawl_id = ${id}"`} /> shows them in full. After an
      update, <StoreCommand command="rebuild --rejects" /> reads them again.
    </p>
  </>
);

/** Fields of an unexpected form, with the first value of each. */
const listDroppedFields = ({ dropped }: CrawlData): Pair[] =>
  dropped.map(({ field, reason, values, sample }) => ({
    name: <code>{field}</code>,
    value: (
      <>
        {formatCount(values)} times: {reason}; first value <bdi class="sample">{sample.slice(0, 120)}</bdi>
      </>
    ),
  }));

/** What it was crawled with. */
const Sources = ({ sources }: Pick<CrawlData, 'sources'>) =>
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
