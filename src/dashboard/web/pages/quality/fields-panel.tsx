import { formatCount } from '../../../../base/text.ts';
import { formatPercent } from '../../../../base/units.ts';
import type { FieldRatesData } from '../../../server/api/quality.ts';
import { changeAddress, selectParameters } from '../../app/address-query.ts';
import { type Column, WideTable } from '../../components/data-table.tsx';
import { NotCollected } from '../../components/empty-state.tsx';
import { Field } from '../../components/form-field.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { useData } from '../../live/use-data.ts';

const PERIODS = { day: 'Day', month: 'Month' } as const;

/** How many items have a value in each field, by period: of what the service sends, and of what is stored. */
export function FieldsPanel() {
  const state = useData<FieldRatesData>(`/api/quality/fields?${selectParameters(['of', 'by'])}`);
  const choose = (name: string, value: string): void => changeAddress({ [name]: value }, { isReplaced: true });
  return (
    <Panel id="fields" title="Field fill rates">
      <Loaded
        state={state}
        failure="These fields cannot be shown."
        instead={<a href="/quality">Show the first endpoint</a>}
      >
        {(data) => (
          <>
            <div class="row">
              <Field
                name="source"
                label="Items"
                value={data.source}
                choices={Object.fromEntries(data.sources.map(({ value, label }) => [value, label]))}
                onChoose={(value) => choose('of', value)}
              />
              <Field
                name="period"
                label="Period"
                value={data.by}
                choices={PERIODS}
                onChoose={(value) => choose('by', value)}
              />
            </div>
            <Rates data={data} />
          </>
        )}
      </Loaded>
    </Panel>
  );
}

type FieldRow = FieldRatesData['fields'][number];

function Rates({ data: { periods, fields, basis, by } }: { readonly data: FieldRatesData }) {
  if (periods.length === 0)
    return <NotCollected>Nothing new was stored in the last {by === 'day' ? '14 days' : '12 months'}.</NotCollected>;
  const columns: readonly Column<FieldRow>[] = [
    ['Field', ({ field }) => field, 'head'],
    ...periods.map(({ period, items }, i): Column<FieldRow> => [
      `${by === 'day' ? period.slice(5) : period} (n=${formatCount(items)})`,
      ({ rates }) => <Rate rate={rates[i] ?? null} before={rates.slice(0, i).findLast((one) => one !== null)} />,
      'number',
    ]),
  ];
  return (
    <>
      <WideTable
        caption={`Share of items with a value, by field and ${by}`}
        columns={columns}
        rows={fields}
        keyOf={({ field }) => field}
      />
      <p class="more">
        {basis} A value is anything but null; n is the number of items. A fall by half or more is marked.
      </p>
    </>
  );
}

/** A fall by this share is marked. */
const FALL = 0.5;

function Rate({ rate, before }: { readonly rate: number | null; readonly before: number | null | undefined }) {
  if (rate === null) return <span class="muted">–</span>;
  return before != null && before - rate >= FALL ? (
    <strong class="bad">
      <span class="visually-hidden">fallen to </span>↓ {formatPercent(rate)}
    </strong>
  ) : (
    <>{formatPercent(rate)}</>
  );
}
