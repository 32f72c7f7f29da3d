import { formatCount, pluralize } from '../../../../base/text.ts';
import type { QualityData } from '../../../server/api/quality.ts';
import { EmptyState, NotCollected } from '../../components/empty-state.tsx';
import { DataPage } from '../../components/loaded.tsx';
import { Panel } from '../../components/panel.tsx';
import { StoreCommand } from '../../components/store-command.tsx';
import { TimeAgo } from '../../components/time-ago.tsx';
import { FieldTable } from './field-table.tsx';
import { FieldsPanel } from './fields-panel.tsx';

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
