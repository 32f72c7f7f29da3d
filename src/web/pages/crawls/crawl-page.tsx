import type { ComponentChildren } from 'preact';
import type { CrawlData, CrawlWaitCause } from '../../../dashboard/api/crawl.ts';
import { capitalise, formatCount, pluralize } from '../../../text.ts';
import { formatDuration } from '../../../units.ts';
import { PAGES } from '../../app/pages.ts';
import { CrawlReason } from '../../components/crawl-cells.tsx';
import { CrawlTable } from '../../components/crawl-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { StateBadge } from '../../components/state-badge.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { formatFigure } from '../../format.ts';
import { now } from '../../live/now.ts';
import { describeProblem } from '../../live/request-json.ts';
import { useRead } from '../../live/use-read.ts';
import { CrawlActions } from './crawl-actions.tsx';
import { DroppedFields, Events, Outcomes, Rejects, Sources } from './crawl-tables.tsx';
import { CrawlTimeline } from './crawl-timeline.tsx';

/** Whether this dashboard has a page for accounts. */
const HAS_ACCOUNTS = PAGES.some(({ name }) => name === 'accounts');

/** One crawl: its progress, its end with the evidence, and all that was recorded of it. */
export function CrawlPage({ id }: { readonly id: string }) {
  const { data, problem } = useRead<CrawlData>(`/api/crawls/${encodeURIComponent(id)}`);
  return (
    <div class="page crawl-page">
      {data && problem && <ProblemBanner title="This page could not be updated." problem={problem} />}
      {data ? (
        <Content data={data} />
      ) : problem === undefined ? (
        <p class="loading">Reading…</p>
      ) : (
        <EmptyState title={`Crawl ${id} cannot be shown`} action={<a href="/crawls">Open the list of crawls</a>}>
          {describeProblem(problem)}
        </EmptyState>
      )}
    </div>
  );
}

function Content({ data }: { readonly data: CrawlData }) {
  const { line, options, parent, job, runId } = data;
  return (
    <>
      <header class="page-header">
        <h1>
          <span class="muted">
            {capitalise(line.kind)} <span class="crawl-number">#{line.id}</span>
          </span>{' '}
          <bdi>{line.target}</bdi>
        </h1>
        <p class="data-age">
          <span>
            Created <TimeAgo at={line.createdAt} />
          </span>
          <span>{capitalise(line.priority)} priority</span>
          <span>{options === '' ? 'Without limits' : capitalise(options)}</span>
        </p>
      </header>
      <nav class="crawl-links" aria-label="Related pages">
        <a href="/crawls">All crawls</a>
        {data.accountId !== null && HAS_ACCOUNTS && (
          <a href={`/accounts/${encodeURIComponent(`id:${data.accountId}`)}`}>Account</a>
        )}
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
      </nav>
      <Evidence data={data} />
      <CrawlActions data={data} />
      <Figures data={data} />
      <Panel
        id="timeline"
        title={data.tree === null ? 'Requests and pages over time' : 'Own requests and pages over time'}
        note="cumulative, UTC"
      >
        <CrawlTimeline data={data} />
      </Panel>
      {data.children.total > 0 && <Children data={data} />}
      <div class="crawl-columns">
        <Panel id="events" title="Events">
          <Events events={data.events} />
        </Panel>
        <Panel id="outcomes" title="Requests by outcome">
          <Outcomes outcomes={data.outcomes} />
        </Panel>
      </div>
      {data.rejectedItems > 0 && (
        <Panel id="rejects" title={`Rejected: ${pluralize(data.rejectedItems, 'item')}`}>
          <Rejects id={line.id} rejects={data.rejects} />
        </Panel>
      )}
      {data.dropped.length > 0 && (
        <Panel id="dropped" title="Fields that could not be read" note="their items are stored without them">
          <DroppedFields fields={data.dropped} />
        </Panel>
      )}
      <Panel id="origin" title="Origin">
        <Sources sources={data.sources} />
      </Panel>
    </>
  );
}

/** The state, and the evidence for it. */
function Evidence({ data: { line, evidence, lastError } }: { readonly data: CrawlData }) {
  return (
    <section class={`panel evidence ${line.state}`} aria-label="State">
      <p class="evidence-state">
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
}

const Figures = ({ data: { line, plan, tree, waits, changes, rejectedItems } }: { readonly data: CrawlData }) => (
  <dl class="crawl-figures">
    <Figure
      name={tree === null ? 'Pages' : 'Own pages'}
      value={formatFigure(line.pages)}
      note={tree === null ? undefined : `${formatCount(tree.pages)} with child crawls`}
    />
    <Figure
      name="Items"
      value={formatFigure(line.items)}
      note={`${formatCount(line.newItems)} new${changes > 0 ? `, ${formatCount(changes)} changes` : ''}${rejectedItems > 0 ? `, ${formatCount(rejectedItems)} rejected` : ''}`}
    />
    <Figure
      name={tree === null ? 'Requests' : 'Own requests'}
      value={formatFigure(line.requests)}
      note={[
        ...(tree === null ? [] : [`${formatCount(tree.requests)} with child crawls`]),
        plan === null ? 'without a plan' : describePlan(plan),
      ].join(', ')}
    />
    <Figure
      name="Duration"
      value={line.startedAt === null ? '–' : formatDuration((line.finishedAt ?? now.value) - line.startedAt)}
      note={line.startedAt === null ? 'not started yet' : describeDuration(line.leftMs, waits)}
    />
  </dl>
);

const Figure = (props: {
  readonly name: string;
  readonly value: ComponentChildren;
  readonly note?: string | undefined;
}) => (
  <div class="panel">
    <dt>{props.name}</dt>
    <dd class="crawl-figure">{props.value}</dd>
    {props.note !== undefined && <dd class="muted">{props.note}</dd>}
  </div>
);

const CAUSES: Readonly<Record<CrawlWaitCause, string>> = {
  quota: 'for quota',
  failure: 'after failed requests',
  unknown: 'without a recorded cause',
};

/** `Waited 3 h for quota, 40 min after failed requests`; undefined for a crawl that did not wait. */
function describeDuration(leftMs: number | null, waits: CrawlData['waits']): string | undefined {
  const parts = (Object.keys(CAUSES) as CrawlWaitCause[]).flatMap((cause) => {
    const ms = waits.reduce((sum, wait) => sum + (wait.cause === cause ? wait.to - wait.from : 0), 0);
    return ms === 0 ? [] : [`${formatDuration(ms)} ${CAUSES[cause]}`];
  });
  const waited = parts.length === 0 ? [] : [`waited ${parts.join(', ')}`];
  const left = leftMs === null ? [] : [`time left ${formatDuration(leftMs)}`];
  const all = [...left, ...waited];
  return all.length === 0 ? undefined : capitalise(all.join('; '));
}

/** `planned: about 40 (12 to 90)`; the plan includes child crawls. */
function describePlan({ min, expected, max }: NonNullable<CrawlData['plan']>): string {
  if (min === max) return `planned: ${formatCount(min)}`;
  const range = max === null ? `at least ${formatCount(min)}` : `${formatCount(min)} to ${formatCount(max)}`;
  return expected === null ? `planned: ${range}` : `planned: about ${formatCount(expected)} (${range})`;
}

function Children({ data: { children } }: { readonly data: CrawlData }) {
  const { total, states, rows } = children;
  return (
    <Panel
      id="children"
      title={`Child crawls: ${formatCount(total)}`}
      note={states.map(({ state, n }) => `${formatCount(n)} ${state}`).join(', ')}
    >
      <CrawlTable caption="Child crawls" rows={rows} counted="own" />
      {rows.length < total && (
        <p class="more">
          The latest {formatCount(rows.length)} that this crawl created itself; others are below those.
        </p>
      )}
    </Panel>
  );
}
