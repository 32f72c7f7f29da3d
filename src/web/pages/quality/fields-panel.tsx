import { useEffect, useRef } from 'preact/hooks';
import type { FieldRatesData } from '../../../dashboard/api/quality.ts';
import { formatCount } from '../../../text.ts';
import { formatPercent } from '../../../units.ts';
import { address, navigate } from '../../app/router.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { describeProblem } from '../../live/request-json.ts';
import { useRead } from '../../live/use-read.ts';

const PERIODS = { day: 'By day', month: 'By month' } as const;
type Period = keyof typeof PERIODS;

/** The choices of the address: what is counted, and by which period. */
function readChoices(): { readonly of: string | null; readonly by: Period } {
  const { searchParams } = address.value;
  return { of: searchParams.get('of'), by: searchParams.get('by') === 'month' ? 'month' : 'day' };
}

/** How many items have a value in each field, by period: of what the service sends, and of what is stored. */
export function FieldsPanel() {
  const { of, by } = readChoices();
  const query = new URLSearchParams({ ...(of === null ? {} : { of }), by });
  const { data, problem } = useRead<FieldRatesData>(`/api/quality/fields?${query}`);
  const choose = (name: string, value: string): void => {
    const url = new URL(address.value);
    url.searchParams.set(name, value);
    navigate(url.href, { isReplaced: true });
  };
  return (
    <Panel
      id="fields"
      title="Field fill rates"
      note={
        <div class="choices" role="group" aria-label="Period">
          {(Object.keys(PERIODS) as Period[]).map((period) => (
            <button key={period} type="button" aria-pressed={by === period} onClick={() => choose('by', period)}>
              {PERIODS[period]}
            </button>
          ))}
        </div>
      }
    >
      {data && <Source data={data} choose={(value) => choose('of', value)} />}
      {problem !== undefined && (
        <EmptyState title="These fields cannot be shown" action={<a href="/quality">Show the first endpoint</a>}>
          {describeProblem(problem)}
        </EmptyState>
      )}
      {data ? <Rates data={data} /> : problem === undefined && <p class="loading">Reading…</p>}
    </Panel>
  );
}

const Source = ({ data: { sources, source }, choose }: { data: FieldRatesData; choose: (value: string) => void }) => (
  <label class="source-choice">
    <span class="muted">Items</span>
    <select value={source} onChange={({ currentTarget }) => choose(currentTarget.value)}>
      {sources.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  </label>
);

/** A fall by this share is marked. */
const FALL = 0.5;

function Rates({ data: { source, periods, fields, basis, by } }: { readonly data: FieldRatesData }) {
  const element = useRef<HTMLDivElement>(null);
  // Where not all periods fit, the latest ones are shown first.
  useEffect(() => element.current?.scrollTo(element.current.scrollWidth, 0), [source, by]);
  if (periods.length === 0)
    return (
      <EmptyState title="Not collected" action={<StoreCommand command="crawl timeline @nasa" />}>
        {by === 'day' ? 'Nothing new was stored in the last 14 days.' : 'Nothing new was stored in the last 12 months.'}
      </EmptyState>
    );
  return (
    <>
      <div class="rates" ref={element} role="region" aria-label="Table of field fill rates" tabIndex={0}>
        <table>
          <caption class="visually-hidden">Share of items with a value, by field and {by}</caption>
          <thead>
            <tr>
              <th scope="col">Field</th>
              {periods.map(({ period }) => (
                <th key={period} scope="col" class="number">
                  <time dateTime={period} title={period}>
                    {by === 'day' ? period.slice(5) : period}
                  </time>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {fields.map(({ field, rates }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                {rates.map((rate, i) => (
                  <Rate
                    key={periods[i]!.period}
                    rate={rate}
                    before={rates.slice(0, i).findLast((one) => one !== null)}
                  />
                ))}
              </tr>
            ))}
            <tr class="rate-items">
              <th scope="row">Items counted</th>
              {periods.map(({ period, items }) => (
                <td key={period} class="number">
                  {formatCount(items)}
                </td>
              ))}
            </tr>
          </tbody>
        </table>
      </div>
      <p class="more">{basis} A value is anything but null. A fall by half or more is marked.</p>
    </>
  );
}

function Rate({ rate, before }: { readonly rate: number | null; readonly before: number | null | undefined }) {
  if (rate === null) return <td class="number muted">–</td>;
  const isFallen = before != null && before - rate >= FALL;
  return (
    <td class={`number rate ${isFallen ? 'fallen' : ''}`} style={{ '--rate': `${Math.round(100 * rate)}%` }}>
      {isFallen && (
        <>
          <span class="visually-hidden">fallen to </span>
          <span aria-hidden="true">↓ </span>
        </>
      )}
      {formatPercent(rate)}
    </td>
  );
}
