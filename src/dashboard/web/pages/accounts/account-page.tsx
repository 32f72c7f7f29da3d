import { useState } from 'preact/hooks';
import { toSentence, formatCount, pluralize } from '#base/text.ts';
import { formatDay, formatMinute } from '#base/units.ts';
import type { AccountData, AccountListCoverageData, PeriodData } from '#dashboard/server/api/accounts.ts';
import type { GapBackfillPlan } from '#dashboard/server/api/backfill.ts';
import type { QueryResultData } from '#dashboard/server/api/queries.ts';
import { FACTS } from '#dashboard/web/app/facts.ts';
import { formatHandle } from '#dashboard/web/components/account-link.tsx';
import { ConfirmDialog } from '#dashboard/web/components/action-buttons.tsx';
import { type Column, DataTable } from '#dashboard/web/components/data-table.tsx';
import { DataPage, Loaded } from '#dashboard/web/components/loaded.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { MissingList, QueryAnswer } from '#dashboard/web/components/query-answer.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { formatUtc, describeRequests } from '#dashboard/web/format-numbers.ts';
import { createCrawls, sendAction } from '#dashboard/web/live/send-action.ts';
import { useAttempt } from '#dashboard/web/live/use-attempt.ts';
import { useData } from '#dashboard/web/live/use-data.ts';

/** One account: what is stored of its lists, beside what the service reports. */
export const AccountPage = ({ account }: { readonly account: string }) => (
  <DataPage<AccountData>
    path={`/api/accounts/${encodeURIComponent(account)}`}
    failure="This account cannot be shown."
    title={(data) => <bdi>{data?.line.name ?? (data ? formatHandle(data.line) : account)}</bdi>}
    facts={listFacts}
    links={(data) => (
      <>
        <a href="/accounts">All accounts</a>
        {data && (
          <>
            <a href={`/crawls?q=${encodeURIComponent(data.line.handle ?? data.line.restId)}`}>Crawls</a>
            <a href={`/network?accounts=${encodeURIComponent(`id:${data.line.restId}`)}`}>Network</a>
          </>
        )}
      </>
    )}
  >
    {(data) => <Content data={data} />}
  </DataPage>
);

const listFacts = ({ line, line: { restId, lastSeenAt }, createdAt }: AccountData) => [
  <bdi>{formatHandle(line)}</bdi>,
  `id ${restId}`,
  createdAt !== null && `Created ${formatDay(createdAt)}`,
  lastSeenAt !== null && (
    <>
      Last seen <TimeAgo at={lastSeenAt} />
    </>
  ),
];

const Content = ({ data: { line, unavailableAt, lists, deletions } }: { readonly data: AccountData }) => (
  <>
    {unavailableAt !== null && (
      <p class="banner">
        Not available: the service answered on {formatUtc(unavailableAt)} that it does not have this account.
      </p>
    )}
    <div class="columns">
      {lists.map((list) => (
        <CoveragePanel key={list.kind} list={list} restId={line.restId} />
      ))}
    </div>
    <Panel id="deletions" title="Deleted tweets">
      <MissingList missing={[deletions]} />
    </Panel>
    <AccountQuestions restId={line.restId} />
  </>
);

interface ListProps {
  readonly list: AccountListCoverageData;
  readonly restId: string;
}

/** A list of an account: stored beside reported with the reasons for the difference, and its coverage. */
const CoveragePanel = ({ list, restId }: ListProps) => (
  <Panel id={list.kind} title={list.label} note={toSentence(list.sentence)}>
    <p>{list.counted}</p>
    {list.difference.length > 0 && (
      <ul class="missing" aria-label="Why the numbers differ">
        {list.difference.map((reason) => (
          <li key={reason}>{toSentence(reason)}.</li>
        ))}
      </ul>
    )}
    {list.command !== null && (
      <p class="more">
        <code>{list.command}</code> collects it.
      </p>
    )}
    {list.axis && <Axis axis={list.axis} title={list.label} />}
    {list.periods.length > 0 && <Periods list={list} restId={restId} />}
  </Panel>
);

const toUrl = (svg: string): string => `data:image/svg+xml,${encodeURIComponent(svg)}`;

/** The content policy allows no markup of the server in the page, so that the drawing is an image. */
const Axis = ({ axis, title }: { readonly axis: { wide: string; narrow: string }; readonly title: string }) => (
  <picture class="coverage-axis">
    <source media="(max-width: 42rem)" srcset={toUrl(axis.narrow)} />
    <img src={toUrl(axis.wide)} alt={`${title}: coverage on an axis of time; the periods below are the same`} />
  </picture>
);

const Periods = ({ list: { label, periods, periodCount }, restId }: ListProps) => (
  // What is missing is what somebody looks for, and where its backfill is.
  <details open={periods.some(({ isComplete }) => !isComplete)}>
    <summary>Periods: {formatCount(periodCount)}</summary>
    <DataTable
      caption={`${label}: periods, the latest first`}
      columns={listColumns(restId)}
      rows={periods}
      keyOf={({ from }) => from}
    />
    {periods.length < periodCount && <p class="more">The latest {formatCount(periods.length)} are listed.</p>}
  </details>
);

const listColumns = (restId: string): readonly Column<PeriodData>[] => [
  ['From (UTC)', ({ from }) => formatMinute(from), 'head nowrap'],
  ['To (UTC)', ({ to }) => formatMinute(to), 'nowrap'],
  [
    'State',
    ({ from, to, sentence, isBackfillable, crawlId }) => (
      <>
        {toSentence(sentence)}{' '}
        {crawlId !== null && (
          <>
            (<a href={`/crawls/${crawlId}`}>crawl {crawlId}</a>){' '}
          </>
        )}
        {isBackfillable && FACTS.isWritable && <BackfillButton restId={restId} from={from} to={to} />}
      </>
    ),
    'bare',
  ],
];

/** Saved queries about an account, with their titles here. Those with a chart are drawn. */
const QUESTIONS = [
  ['followers-over-time', 'Followers over time', true],
  ['followers-gained-and-lost', 'Followers gained and lost', true],
  ['profile-changes', 'Profile and handle', false],
  ['edited-tweets', 'Edited tweets', false],
  ['activity-by-hour', 'Posting activity by hour', true],
  ['top-tweets', 'Top posts by likes', false],
] as const;

/** How an account changed, when it writes, and its most liked tweets: each is read when it is opened. */
const AccountQuestions = ({ restId }: { readonly restId: string }) => (
  <Panel id="history" title="History" note="answers of saved queries">
    {QUESTIONS.map(([name, title, hasChart]) => (
      <Question key={name} name={name} title={title} account={`id:${restId}`} hasChart={hasChart} />
    ))}
  </Panel>
);

interface QuestionProps {
  readonly name: string;
  readonly title: string;
  readonly account: string;
  readonly hasChart: boolean;
}

function Question({ name, title, account, hasChart }: QuestionProps) {
  const [isOpen, setOpen] = useState(false);
  const address = `account=${encodeURIComponent(account)}`;
  const width = hasChart ? '&chart-width=640' : '';
  const state = useData<QueryResultData>(isOpen ? `/api/queries/${name}/result?${address}${width}` : undefined, false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && (
        <Loaded state={state} failure="There is no answer.">
          {(result) => <QueryAnswer result={result} />}
        </Loaded>
      )}
      <p class="more">
        <a href={`/queries/${name}?${address}${hasChart ? '&view-as=chart' : ''}&run-now=1`}>Open the query</a>
      </p>
    </details>
  );
}

type Gap = Pick<PeriodData, 'from' | 'to'> & { readonly restId: string };

/** Shows the plan of the backfill of a gap, and queues it after a confirmation. */
function BackfillButton({ restId, from, to }: Gap) {
  const [plan, setPlan] = useState<GapBackfillPlan>();
  const { isBusy, problem, attempt } = useAttempt();
  const gap: Gap = { restId, from, to };

  const showPlan = (): Promise<void> => attempt(async () => setPlan(await sendAction('backfills/plan', gap)));

  return (
    <>
      <button type="button" class="button" aria-busy={isBusy} onClick={() => void showPlan()}>
        Backfill<span class="visually-hidden"> from {formatUtc(from)}</span>
      </button>
      <span role="status">{plan?.step === null ? 'A backfill has nothing left to fetch here.' : problem}</span>
      {plan?.step != null && (
        <ConfirmDialog
          title="Plan of the backfill"
          action={`Queue ${pluralize(plan.crawls, 'crawl')}`}
          run={() => createCrawls('backfills/create', { ...gap, step: plan.step, expected: plan.crawls })}
          onClose={() => setPlan(undefined)}
        >
          <p>
            {formatUtc(from)} to {formatUtc(to)}
          </p>
          <p>{STEPS[plan.step]}</p>
          <p>Planned: {describeRequests(plan)}.</p>
        </ConfirmDialog>
      )}
    </>
  );
}

const STEPS: Readonly<Record<NonNullable<GapBackfillPlan['step']>, string>> = {
  timeline:
    'A crawl of the timeline, as far as it reaches or is needed. When it has ended, a backfill of what is left searches for the rest.',
  'page size':
    'A search without dates shows how many tweets a page has. When it has ended, a backfill of the same period searches it.',
  search: 'Searches by windows of days, which are bisected while their halves show more tweets.',
};
