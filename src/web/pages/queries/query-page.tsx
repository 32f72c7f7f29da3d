import { useRef } from 'preact/hooks';
import type { QueryData, QueryResultData } from '../../../dashboard/api/queries.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { ProblemBanner } from '../../components/problem-banner.tsx';
import { describeProblem } from '../../live/request-json.ts';
import { useAnswer } from '../../live/use-answer.ts';
import { InlineCode } from './inline-code.tsx';
import { formatRun, readQueryAddress, showQuery } from './query-address.ts';
import { QueryForm } from './query-form.tsx';
import { QueryResult } from './query-result.tsx';
import { RunState } from './run-state.tsx';
import { ViewChoice } from './view-choice.tsx';

/** A saved query: its form, and its result. The address has the values, and whether it is run. */
export function QueryPage({ name }: { readonly name: string }) {
  const { data, problem } = useAnswer<QueryData>(`/api/queries/${encodeURIComponent(name)}`);
  if (data) return <SavedQuery query={data} />;
  return (
    <div class="page">
      {problem ? (
        <>
          <h1>Query</h1>
          <EmptyState title="This query cannot be shown" action={<a href="/queries">Show all queries</a>}>
            <bdi>{name}</bdi>: {describeProblem(problem)}
          </EmptyState>
        </>
      ) : (
        <p class="loading">Reading…</p>
      )}
    </div>
  );
}

/** The width of a chart in pixels, at the present width of the window. */
const chooseChartWidth = (): number => Math.max(320, Math.min(1080, document.documentElement.clientWidth - 70));

function SavedQuery({ query }: { readonly query: QueryData }) {
  const given = readQueryAddress();
  const run = formatRun(given).toString();
  const path = `/api/queries/${query.name}/result?${run}`;
  // What was not looked at is not run. What was stays, while the address has the same values.
  const viewed = useRef({ path: '', table: false, chart: 0 });
  if (viewed.current.path !== path) viewed.current = { path, table: false, chart: 0 };
  if (given.view === 'table') viewed.current.table = true;
  else viewed.current.chart ||= chooseChartWidth();
  const { table: isTable, chart: width } = viewed.current;
  const table = useAnswer<QueryResultData>(given.isRun && isTable ? path : undefined);
  const chart = useAnswer<QueryResultData>(given.isRun && width > 0 ? `${path}&chart-width=${width}` : undefined);
  const answer = given.view === 'table' ? table : chart;
  const shown = answer.busySince === undefined ? answer.data : undefined;

  function start(values: Readonly<Record<string, string>>, timeLimit: string): void {
    const isSame = given.isRun && formatRun({ values, timeLimit }).toString() === run;
    if (isSame) answer.repeat();
    else showQuery({ values, timeLimit, isRun: true, sort: '' });
  }

  return (
    <div class="page query-page">
      <header class="page-header">
        <h1>
          <bdi>{query.title}</bdi>
        </h1>
        <p class="data-age">
          <span>{query.topic}</span>
          <span>
            <code>{query.name}</code>
          </span>
          {query.isOwn && <span>a query of yours</span>}
        </p>
      </header>
      <nav class="query-links" aria-label="Related pages">
        <a href="/queries">All queries</a>
      </nav>
      <p class="query-description">
        <InlineCode text={query.description} />
      </p>
      <QueryForm query={query} given={given} problems={shown?.check.problems ?? {}} onRun={start}>
        <RunState answer={answer} timeLimit={given.timeLimit} />
      </QueryForm>
      {answer.problem && (
        <>
          <ProblemBanner title="There is no answer." problem={answer.problem} />
          {query.hasChart && <ViewChoice view={given.view} />}
        </>
      )}
      {shown && Object.keys(shown.check.problems).length === 0 && (
        <QueryResult query={query} result={shown} given={given} />
      )}
    </div>
  );
}
