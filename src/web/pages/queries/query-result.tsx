import type { QueryData, QueryResultData } from '../../../dashboard/api/queries.ts';
import { capitalise, formatCount, pluralize, toPrintable, toSentence } from '../../../text.ts';
import { formatDuration } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { FileWriter } from './file-writer.tsx';
import { MissingDataList } from './missing-data-list.tsx';
import type { QueryAddress } from './query-address.ts';
import { ResultTable } from './result-table.tsx';
import { ViewChoice } from './view-choice.tsx';

interface ResultProps {
  readonly query: QueryData;
  readonly result: QueryResultData;
  readonly given: QueryAddress;
}

/** What a run found: what the store lacks, then rows or a chart, and files of them. */
export function QueryResult({ query, result, given }: ResultProps) {
  const { check, rows, chart, emptiness, at, durationMs } = result;
  return (
    <section class="panel query-result" aria-label="Result">
      {check.refusal ? (
        <Refusal refusal={check.refusal} />
      ) : (
        <>
          <header class="result-header">
            <p class="data-age" role="status">
              {rows && <span>{describeSize(result)}</span>}
              <span>
                Read <TimeAgo at={at} />, in {formatDuration(durationMs)}
              </span>
            </p>
            {query.hasChart && <ViewChoice view={given.view} />}
            <FileWriter query={query} given={given} />
          </header>
          <MissingDataList check={check} />
          {rows && rows.length > 0 && <ResultTable rows={rows} sort={given.sort} isCut={result.isCut} />}
          {chart !== null && (
            <img
              class="result-chart"
              src={`data:image/svg+xml,${encodeURIComponent(chart)}`}
              alt={readDescription(chart)}
            />
          )}
          {emptiness !== null && <Emptiness text={emptiness} />}
        </>
      )}
      <p class="more">
        The same in a terminal: <code>{toPrintable(check.command)}</code>
      </p>
    </section>
  );
}

function describeSize({ rows, isCut }: QueryResultData): string {
  const count = rows?.length ?? 0;
  return isCut ? `The first ${formatCount(count)} rows: a file has all` : pluralize(count, 'row');
}

const ENTITIES: Readonly<Record<string, string>> = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };

/** The picture describes itself, at its start. */
const readDescription = (svg: string): string =>
  ['title', 'desc']
    .map((name) => new RegExp(`<${name} [^>]*>([^<]*)<`).exec(svg)?.[1] ?? '')
    .join(': ')
    .replaceAll(/&\w+;/g, (entity) => ENTITIES[entity] ?? '');

function Emptiness({ text }: { readonly text: string }) {
  const [title = '', ...reason] = text.split(': ');
  return <EmptyState title={capitalise(title)}>{toSentence(reason.join(': '))}.</EmptyState>;
}

const NOT_COLLECTED = 'not collected: ';

function Refusal({
  refusal: { text, hint, command },
}: {
  readonly refusal: NonNullable<QueryResultData['check']['refusal']>;
}) {
  const isNotCollected = text.startsWith(NOT_COLLECTED);
  return (
    <EmptyState
      title={isNotCollected ? 'Not collected' : 'Nothing was run'}
      action={
        command !== null && (
          <>
            <code>{command}</code> {isNotCollected && 'collects it'}
          </>
        )
      }
    >
      <bdi>{toSentence(isNotCollected ? text.slice(NOT_COLLECTED.length) : text)}</bdi>. {hint}
    </EmptyState>
  );
}
