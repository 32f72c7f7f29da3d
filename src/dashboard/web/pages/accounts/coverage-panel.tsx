import { toSentence, formatCount } from '../../../../base/text.ts';
import { formatMinute } from '../../../../base/units.ts';
import type { AccountListCoverageData, PeriodData } from '../../../server/api/accounts.ts';
import { FACTS } from '../../app/facts.ts';
import { type Column, DataTable } from '../../components/data-table.tsx';
import { Panel } from '../../components/panel.tsx';
import { BackfillButton } from './backfill-button.tsx';

interface ListProps {
  readonly list: AccountListCoverageData;
  readonly restId: string;
}

/** A list of an account: stored beside reported with the reasons for the difference, and its coverage. */
export const CoveragePanel = ({ list, restId }: ListProps) => (
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
