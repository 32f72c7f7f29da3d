import { capitalise, toSentence } from '#base/text.ts';
import type { MissingDataLine, QueryResultData } from '#dashboard/server/api/queries.ts';
import { type TableOrder, RowTable } from './data-table.tsx';
import { EmptyState } from './empty-state.tsx';

/** What a saved query found: what the store lacks, then rows or a chart, or why there are none. */
export const QueryAnswer = (props: { readonly result: QueryResultData; readonly order?: TableOrder | undefined }) => {
  const { check, rows, chart, emptiness } = props.result;
  if (check.refusal) return <Refusal refusal={check.refusal} />;
  return (
    <>
      <MissingList missing={[...check.missing.map(toLine), ...check.notes.map((text) => ({ text, command: null }))]} />
      {rows && rows.length > 0 && <RowTable rows={rows} order={props.order} />}
      {chart !== null && (
        <img
          class="result-chart"
          src={`data:image/svg+xml,${encodeURIComponent(chart)}`}
          alt={readDescription(chart)}
        />
      )}
      {emptiness !== null && <Emptiness text={emptiness} />}
    </>
  );
};

const toLine = ({ state, text, command }: MissingDataLine) => ({ text: `${capitalise(state)}: ${text}`, command });

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

/** What a query names is not in the store. */
const Refusal = (props: { readonly refusal: NonNullable<QueryResultData['check']['refusal']> }) => {
  const { text, hint, command } = props.refusal;
  return (
    <EmptyState
      title={text.startsWith('not collected: ') ? 'Not collected' : 'Nothing was run'}
      action={command !== null && <code>{command}</code>}
    >
      <bdi>{toSentence(text.replace('not collected: ', ''))}</bdi>. {hint}
    </EmptyState>
  );
};

/** What the store lacks, with the command that collects it. */
export const MissingList = (props: {
  readonly label?: string;
  readonly missing: readonly { readonly text: string; readonly command: string | null }[];
}) =>
  props.missing.length === 0 ? null : (
    <ul class="missing" aria-label={props.label ?? 'Missing data'}>
      {props.missing.map(({ text, command }) => (
        <li key={text}>
          <bdi>{text}</bdi> {command !== null && <code>{command}</code>}
        </li>
      ))}
    </ul>
  );
