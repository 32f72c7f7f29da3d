import type { QualityData, RejectGroupData } from '../../../dashboard/api/quality.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { BlockTable } from '../../components/block-table.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { DayCounts } from './day-counts.tsx';

/** Items that could not be stored. */
export const RejectsPanel = ({
  rejects: { items, readable, groups, groupCount, days },
  hasPages,
}: Pick<QualityData, 'rejects' | 'hasPages'>) => (
  <Panel id="rejects" title="Rejected items" note={items > 0 && `${pluralize(items, 'item')} not stored`}>
    {items === 0 ? (
      <NoRejects hasPages={hasPages} isResolved={days.length > 0} />
    ) : (
      <>
        <GroupTable caption="Rejected items, the most common first" counted="Items" groups={groups} />
        <More shown={groups.length} all={groupCount} />
        <p class="more">
          {readable > 0 && (
            <>
              After an update of trawl, <StoreCommand command="rejects retry" /> reads {formatCount(readable)} of them
              again.{' '}
            </>
          )}
          {readable < items && `The bodies of ${pluralize(items - readable, 'item')} are not stored.`}
        </p>
      </>
    )}
    {days.length > 0 && <DayCounts title="Rejected items by day" counted="Items" days={days} />}
  </Panel>
);

const NoRejects = ({ hasPages, isResolved }: { readonly hasPages: boolean; readonly isResolved: boolean }) =>
  hasPages || isResolved ? (
    <EmptyState title="No rejected items">
      {isResolved ? 'All rejected items were stored later.' : 'Every item of every page was stored.'}
    </EmptyState>
  ) : (
    <EmptyState title="Not collected" action={<StoreCommand command="crawl timeline @nasa" />}>
      No page is stored yet. Items that cannot be stored are listed here.
    </EmptyState>
  );

/** Fields of stored items that could not be read. */
export const DroppedPanel = ({ dropped: { groups, groupCount } }: Pick<QualityData, 'dropped'>) => (
  <Panel id="dropped" title="Unreadable fields" note="their items are stored without them">
    <GroupTable caption="Unreadable fields, the most common first" counted="Values" groups={groups} />
    <More shown={groups.length} all={groupCount} />
  </Panel>
);

const More = ({ shown, all }: { readonly shown: number; readonly all: number }) =>
  shown < all ? (
    <p class="more">
      The most common {formatCount(shown)} of {formatCount(all)} kinds. <StoreCommand command="rejects" /> lists all.
    </p>
  ) : null;

/** The kinds of rejects, or of fields. */
const GroupTable = (props: {
  readonly caption: string;
  readonly counted: 'Items' | 'Values';
  readonly groups: readonly RejectGroupData[];
}) => (
  <BlockTable
    class="quality-table"
    caption={props.caption}
    columns={[['Field'], ['Reason'], [props.counted, 'number'], ['First'], ['Last'], ['Newest example']]}
  >
    {props.groups.map(({ endpoint, field, reason, n, firstAt, lastAt, sample, crawlId }) => (
      <tr key={`${endpoint} ${field} ${reason}`} role="row">
        <th role="rowheader" scope="row" class="cell-field">
          <bdi>{field === '' ? 'the whole item' : field}</bdi> <span class="muted">{endpoint}</span>
        </th>
        <td role="cell" class="cell-reason">
          <bdi class="clamp-2" title={reason}>
            {reason}
          </bdi>
        </td>
        <td role="cell" class="number" data-label={props.counted}>
          {formatCount(n)}
        </td>
        <td role="cell" class="nowrap" data-label="First">
          <TimeAgo at={firstAt} />
        </td>
        <td role="cell" class="nowrap" data-label="Last">
          <TimeAgo at={lastAt} />
        </td>
        <td role="cell" class="cell-sample">
          <bdi class="sample" title={sample}>
            {sample}
          </bdi>{' '}
          <a class="nowrap" href={`/crawls/${crawlId}`}>
            crawl {crawlId}
          </a>
        </td>
      </tr>
    ))}
  </BlockTable>
);
