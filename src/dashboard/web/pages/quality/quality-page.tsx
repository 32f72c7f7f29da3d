import { formatCount, pluralize } from '#base/text.ts';
import { formatPercent } from '#base/units.ts';
import type { QualityData, FieldRatesData } from '#dashboard/server/api/quality.ts';
import { changeAddress, selectParameters } from '#dashboard/web/app/router.ts';
import { type Column, WideTable } from '#dashboard/web/components/data-table.tsx';
import { EmptyState, NotCollected } from '#dashboard/web/components/empty-state.tsx';
import { Field } from '#dashboard/web/components/form.tsx';
import { DataPage, Loaded } from '#dashboard/web/components/loaded.tsx';
import { Panel } from '#dashboard/web/components/panel.tsx';
import { StoreCommand } from '#dashboard/web/components/store-command.tsx';
import { TimeAgo } from '#dashboard/web/components/time-ago.tsx';
import { useData } from '#dashboard/web/live/use-data.ts';
import { FieldTable } from './field-table.tsx';

/** What could not be stored, what the service sends differently, and how complete the stored fields are. */
export const QualityPage = () => (
  <DataPage<QualityData>
    path="/api/quality"
    failure="The quality could not be read."
    title={() => 'Quality'}
    facts={({ at }) => [
      <>
        Read <TimeAgo at={at} />
      </>,
      'Days and times in UTC',
    ]}
  >
    {(data) => (
      <>
        <Content data={data} />
        <FieldsPanel />
      </>
    )}
  </DataPage>
);

const Content = ({ data: { changes, rejects, dropped, drift, hasPages } }: { readonly data: QualityData }) => (
  <>
    {changes.length > 0 && <Changes changes={changes} />}
    <Panel
      id="rejects"
      title="Rejected items"
      note={rejects.items > 0 && `${pluralize(rejects.items, 'item')} not stored`}
    >
      {rejects.items > 0 ? (
        <Rejects rejects={rejects} />
      ) : hasPages ? (
        <EmptyState title="No rejected items">Every item of every page was stored.</EmptyState>
      ) : (
        <NotCollected>No page is stored yet. Items that cannot be stored are listed here.</NotCollected>
      )}
    </Panel>
    {dropped.groupCount > 0 && (
      <Panel id="dropped" title="Unreadable fields" note="their items are stored without them">
        <FieldTable
          caption="Unreadable fields, the most common first"
          reason={['Reason', ({ reason }) => reason]}
          count={['Values', ({ n }) => n]}
          rows={dropped.groups}
          total={dropped.groupCount}
        />
      </Panel>
    )}
    <Panel id="drift" title="Drift" note="fields and forms that are not in the specification">
      {drift.fields.length > 0 ? (
        <FieldTable
          caption="Drift, seen last first"
          reason={['Meaning', ({ meaning }) => meaning ?? 'unknown field: kept in bodies only']}
          count={['Pages', ({ pages }) => pages]}
          rows={drift.fields}
          total={drift.fieldCount}
        />
      ) : hasPages ? (
        <EmptyState title="No drift">The service sends what its specification says.</EmptyState>
      ) : (
        <NotCollected>No page is stored yet. Crawls inspect the fields of each page.</NotCollected>
      )}
    </Panel>
  </>
);

const Changes = ({ changes }: Pick<QualityData, 'changes'>) => (
  <section class="banner error" aria-labelledby="changes">
    <h2 id="changes">The service has changed</h2>
    <ul>
      {changes.map((change) => (
        <li key={change}>
          <bdi>{change}</bdi>
        </li>
      ))}
    </ul>
  </section>
);

/** Items that could not be stored, and how they can be. */
const Rejects = ({ rejects: { items, readable, groups, groupCount } }: Pick<QualityData, 'rejects'>) => (
  <>
    <FieldTable
      caption="Rejected items, the most common first"
      reason={['Reason', ({ reason }) => reason]}
      count={['Items', ({ n }) => n]}
      rows={groups}
      total={groupCount}
    />
    <p class="more">
      {readable > 0 && (
        <>
          After an update of trawl, <StoreCommand command="rebuild --rejects" /> reads {formatCount(readable)} of them
          again.{' '}
        </>
      )}
      {readable < items && `The bodies of ${pluralize(items - readable, 'item')} are not stored.`}
    </p>
  </>
);

const PERIODS = { day: 'Day', month: 'Month' } as const;

/** How many items have a value in each field, by period: of what the service sends, and of what is stored. */
function FieldsPanel() {
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
