import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { formatCount, pluralize, toPrintable, capitalise } from '#base/text.ts';
import { formatDuration } from '#base/units.ts';
import type { QueryData, QueryResultData, QueryParameterData } from '#dashboard/server/api/queries.ts';
import { changeAddress, hrefOf, readParameter, address } from '#dashboard/web/app/router.ts';
import type { TableOrder } from '#dashboard/web/components/data-table.tsx';
import { Field, Form, type FormValues, type FormField } from '#dashboard/web/components/form.tsx';
import { DataPage } from '#dashboard/web/components/loaded.tsx';
import { Facts, ProblemBanner } from '#dashboard/web/components/page-frame.tsx';
import { MissingList, QueryAnswer } from '#dashboard/web/components/query-answer.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { now } from '#dashboard/web/live/now.ts';
import { fetchAnswer } from '#dashboard/web/live/request-json.ts';
import { type DataRead, useData } from '#dashboard/web/live/use-data.ts';

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

const TITLES: Readonly<Record<string, string>> = {
  csv: 'CSV',
  xlsx: 'Excel',
  jsonl: 'JSON lines',
  parquet: 'Parquet',
  json: 'JSON',
  md: 'Markdown',
  txt: 'Text',
  svg: 'Chart (SVG)',
};

/** Saves all rows of a result as a file in any format. */
function FileDownload({ query, values }: { readonly query: QueryData; readonly values: FormValues }) {
  const { name, formats } = query;
  const link = useRef<HTMLAnchorElement>(null);

  async function save(chosen: FormValues): Promise<void> {
    const response = await fetchAnswer(`/api/queries/${name}/file?${new URLSearchParams({ ...values, ...chosen })}`);
    const address = URL.createObjectURL(await response.blob());
    link.current!.href = address;
    link.current!.download = `${name}.${chosen['file-format']}`;
    link.current!.click();
    URL.revokeObjectURL(address);
  }

  const choices = Object.fromEntries(formats.map((extension) => [extension, TITLES[extension] ?? extension]));
  return (
    <Form
      class="row"
      fields={[{ name: 'file-format', label: 'File', value: formats[0]!, choices }]}
      action="Download"
      onSubmit={save}
    >
      <a ref={link} hidden />
    </Form>
  );
}

/** The parameters of a query, and the button that runs it. */
const QueryForm = (props: {
  readonly query: QueryData;
  /** The values of the address. */
  readonly given: FormValues;
  /** What is wrong with the values that were run, by parameter. */
  readonly problems: Readonly<Record<string, string>>;
  /** Gets the values; that of a parameter is empty if it is the default. */
  readonly onRun: (values: FormValues) => void;
  readonly children: ComponentChildren;
}) => {
  const { parameters } = props.query;
  return (
    <Form
      fields={parameters.map((parameter) => ({
        ...toField(parameter, props.problems[parameter.name]),
        value: props.given[parameter.name] ?? (parameter.choices && parameter.default) ?? '',
      }))}
      action="Run"
      onSubmit={(values) => {
        const used = parameters.map(({ name, default: normal }) => {
          const value = values[name]!;
          return [name, value.trim() === '' || value === normal ? '' : value];
        });
        props.onRun(Object.fromEntries(used));
      }}
    >
      {props.children}
    </Form>
  );
};

/** What values of a type look like. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  account: 'nasa, @nasa or id:11348282',
  tweet: 'its id or its address',
  time: '2025-01-31 or 30d',
};

function toField(parameter: QueryParameterData, problem: string | undefined): Omit<FormField, 'value'> {
  const { name, type, description, isRequired, default: normal, choices, suggestions } = parameter;
  const label = capitalise(name.replaceAll('_', ' '));
  const hint = capitalise(description);
  const none = normal === null ? { '': isRequired ? 'Choose one' : 'Any' } : {};
  return {
    name,
    label,
    isRequired,
    suggestions,
    type: type === 'integer' ? type : undefined,
    choices: choices ? { ...none, ...Object.fromEntries(choices.map((choice) => [choice, choice])) } : undefined,
    placeholder: normal === null ? PLACEHOLDERS[type] : `${normal} if empty`,
    // `The account` says no more than the label does.
    hint: hint === `The ${name}` ? undefined : <InlineCode text={hint} />,
    problem: problem && `${label} ${problem}`,
  };
}

/** A text with names of columns and values between backticks, as the files of queries have them. */
const InlineCode = ({ text }: { readonly text: string }) => (
  <>{text.split('`').map((part, i) => (i % 2 === 1 ? <code key={i}>{part}</code> : part))}</>
);

/** What the address of a query says. The names of parameters have no hyphen, unlike those of everything else. */
interface QueryAddress {
  /** The values of parameters, as they were typed. */
  readonly values: Readonly<Record<string, string>>;
  /** Undefined if the result decides. */
  readonly view: 'table' | 'chart' | undefined;
  /** Whether the query is run. */
  readonly isRun: boolean;
  /** The column by which the rows are sorted, with `-` in front for the opposite direction; empty for their own order. */
  readonly sort: string;
}

const VIEWS = ['table', 'chart'] as const;

function readQueryAddress(): QueryAddress {
  return {
    values: Object.fromEntries([...address.value.searchParams].filter(([name]) => !name.includes('-'))),
    view: VIEWS.find((view) => view === readParameter('view-as')),
    isRun: readParameter('run-now') !== '',
    sort: readParameter('sort-by'),
  };
}

/** The order of the rows: a column sorts upwards, then downwards, then not at all. */
function toRowOrder(sort: string): TableOrder {
  const isDescending = sort.startsWith('-');
  const by = isDescending ? sort.slice(1) : sort;
  return {
    by,
    direction: isDescending ? 'descending' : 'ascending',
    sort: (key) => changeAddress({ 'sort-by': key !== by ? key : isDescending ? '' : `-${key}` }, { isReplaced: true }),
  };
}
