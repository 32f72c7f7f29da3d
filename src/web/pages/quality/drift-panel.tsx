import type { QualityData } from '../../../dashboard/api/quality.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { BlockTable, type TableColumn } from '../../components/block-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { DayCounts } from './day-counts.tsx';

const COLUMNS: readonly TableColumn[] = [
  ['Field'],
  ['Meaning'],
  ['Pages', 'number'],
  ['First'],
  ['Last'],
  ['First value'],
];

/** What the service sends beside the specification of its interface. */
export const DriftPanel = ({
  drift: { fields, fieldCount, days },
  hasPages,
}: Pick<QualityData, 'drift' | 'hasPages'>) => (
  <Panel id="drift" title="Drift" note="fields and forms that the specification does not have">
    {fields.length === 0 ? (
      hasPages ? (
        <EmptyState title="No drift">The service sends what its specification says.</EmptyState>
      ) : (
        <EmptyState title="Not collected" action={<StoreCommand command="crawl timeline @nasa" />}>
          No page is stored yet. Crawls inspect the fields of each page.
        </EmptyState>
      )
    ) : (
      <BlockTable class="quality-table" caption="Drift, seen last first" columns={COLUMNS}>
        {fields.map(({ endpoint, field, meaning, pages, firstAt, lastAt, sample }) => (
          <tr key={`${endpoint} ${field}`} role="row">
            <th role="rowheader" scope="row" class="cell-field">
              <bdi>{field}</bdi> <span class="muted">{endpoint}</span>
            </th>
            <td role="cell" class="cell-reason">
              {meaning ?? 'unknown field: kept in bodies only'}
            </td>
            <td role="cell" class="number" data-label="Pages">
              {formatCount(pages)}
            </td>
            <td role="cell" class="nowrap" data-label="First">
              <TimeAgo at={firstAt} />
            </td>
            <td role="cell" class="nowrap" data-label="Last">
              <TimeAgo at={lastAt} />
            </td>
            <td role="cell" class="cell-sample">
              {sample === null ? (
                <span class="muted">not kept</span>
              ) : (
                <bdi class="sample" title={sample}>
                  {sample}
                </bdi>
              )}
            </td>
          </tr>
        ))}
      </BlockTable>
    )}
    {fields.length < fieldCount && (
      <p class="more">
        {pluralize(fields.length, 'field')} of {formatCount(fieldCount)}, those seen last.
      </p>
    )}
    {days.length > 0 && <DayCounts title="Pages with drift by day" counted="Pages" days={days} />}
  </Panel>
);
