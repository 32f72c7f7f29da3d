import { useEffect } from 'preact/hooks';
import { formatCount, pluralize, toPrintable } from '../../../../base/text.ts';
import { formatDuration } from '../../../../base/units.ts';
import type { QueryData, QueryResultData } from '../../../server/api/queries.ts';
import { changeAddress, hrefOf } from '../../app/address-query.ts';
import { Field } from '../../components/form-field.tsx';
import { DataPage } from '../../components/loaded.tsx';
import { MissingList } from '../../components/missing-list.tsx';
import { Facts } from '../../components/page-frame.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { QueryAnswer } from '../../components/query-answer.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { now } from '../../live/now.ts';
import { type DataRead, useData } from '../../live/use-data.ts';
import { FileDownload } from './file-download.tsx';
import { InlineCode } from './inline-code.tsx';
import { type QueryAddress, readQueryAddress, toRowOrder } from './query-address.ts';
import { QueryForm } from './query-form.tsx';

/** A saved query: its form, and its result. The address has the values, and whether it is run. */
export const QueryPage = ({ name }: { readonly name: string }) => (
  <DataPage<QueryData>
    path={`/api/queries/${encodeURIComponent(name)}`}
    isLive={false}
    failure="This query cannot be shown."
    title={(data) => <bdi>{data?.title ?? name}</bdi>}
    facts={({ topic, isOwn }) => [topic, <code>{name}</code>, isOwn && 'a query of yours']}
    links={() => <a href="/queries">All queries</a>}
  >
    {(query) => <SavedQuery query={query} />}
  </DataPage>
);

/** The width of a chart in pixels, at the present width of the window. */
const chooseChartWidth = (): number => Math.max(320, Math.min(1080, document.documentElement.clientWidth - 70));

function SavedQuery({ query }: { readonly query: QueryData }) {
  const given = readQueryAddress();
  const chart: Record<string, string> = given.view === 'chart' ? { 'chart-width': String(chooseChartWidth()) } : {};
  const parameters = new URLSearchParams({ ...given.values, ...chart }).toString();
  const path = `/api/queries/${query.name}/result?${parameters}`;
  const answer = useData<QueryResultData>(given.isRun ? path : undefined, false);
  const { data: shown } = answer;
  const isBusy = answer.busySince !== undefined;
  const areZeros = given.view === undefined && query.hasChart && !isBusy && areMostlyZeros(shown?.rows ?? []);
  useEffect(() => {
    if (areZeros) changeAddress({ 'view-as': 'chart' }, { isReplaced: true });
  }, [areZeros]);

  function run(values: QueryAddress['values']): void {
    if (given.isRun && hrefOf(values) === hrefOf({})) answer.repeat();
    else changeAddress({ ...values, 'run-now': '1', 'sort-by': '' });
  }

  return (
    <>
      <p>
        <InlineCode text={query.description} />
      </p>
      <QueryForm query={query} given={given.values} problems={isBusy ? {} : (shown?.check.problems ?? {})} onRun={run}>
        {query.hasChart && (
          <Field
            name="view-as"
            label="View"
            value={given.view ?? 'table'}
            choices={{ table: 'Table', chart: 'Chart' }}
            onChoose={(view) => changeAddress({ 'view-as': view })}
          />
        )}
        <RunState answer={answer} />
      </QueryForm>
      <About query={query} />
      {answer.problem && <ProblemBanner title="There is no answer." problem={answer.problem} />}
      {shown && Object.keys(shown.check.problems).length === 0 && (
        <section class={`panel ${isBusy ? 'busy' : ''}`} aria-label="Result" aria-busy={isBusy}>
          {!shown.check.refusal && (
            <header>
              <Facts facts={listFacts(shown)} />
              <FileDownload query={query} values={given.values} />
            </header>
          )}
          <QueryAnswer result={shown} order={toRowOrder(given.sort)} />
          <p class="more">
            The same in a terminal: <code>{toPrintable(shown.check.command)}</code>
          </p>
        </section>
      )}
    </>
  );
}

/** Whether most rows have no number but 0: a chart shows the others. */
const areMostlyZeros = (rows: NonNullable<QueryResultData['rows']>): boolean =>
  2 * rows.filter((row) => Object.values(row).some((value) => typeof value === 'number' && value !== 0)).length <
  rows.length;

const listFacts = ({ rows, isCut, at, durationMs }: QueryResultData) => [
  rows && (isCut ? `The first ${formatCount(rows.length)} rows: a file has all` : pluralize(rows.length, 'row')),
  <>
    Read <TimeAgo at={at} />, in {formatDuration(durationMs)}
  </>,
];

/** How long a run takes so far, with a button that stops it. */
function RunState({ answer: { busySince, isCancelled, cancel } }: { readonly answer: DataRead<unknown> }) {
  // The clock of the page moves on each second.
  void now.value;
  return (
    <>
      {busySince !== undefined && (
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      )}
      <span role="status">{busySince === undefined ? isCancelled && 'Cancelled' : 'Running…'}</span>
      {busySince !== undefined && <span class="muted">{Math.floor((performance.now() - busySince) / 1000)} s</span>}
    </>
  );
}

/** What the query needs, and its statement. */
const About = ({ query: { needs, sql } }: { readonly query: QueryData }) => (
  <div>
    {needs.length > 0 && (
      <details>
        <summary>Required data</summary>
        <MissingList label="Required data" missing={needs} />
      </details>
    )}
    <details>
      <summary>SQL statement</summary>
      <pre tabIndex={0}>{sql}</pre>
    </details>
  </div>
);
