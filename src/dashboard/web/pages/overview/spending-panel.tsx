import { pluralize } from '../../../../base/text.ts';
import { formatDuration, formatPercent } from '../../../../base/units.ts';
import type { SpendingData } from '../../../server/api/overview.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ShareBar } from '../../components/share-bar.tsx';

/** Which crawls sent the requests of the last time. */
export const SpendingPanel = ({ spending: { ms, requests, crawls, others } }: { readonly spending: SpendingData }) => {
  const rows = [
    ...crawls.map(({ id, name, requests: n }) => ({ key: id, name, n, note: `#${id}` })),
    ...(others > 0 ? [{ key: 0, name: 'Others', n: others, note: '' }] : []),
  ];
  return (
    <Panel id="spending" title="Requests by crawl" note={`last ${formatDuration(ms)}`}>
      {requests === 0 ? (
        <EmptyState title="No request was sent">No crawl uses the quota now.</EmptyState>
      ) : (
        <ol class="shares">
          {rows.map(({ key, name, n, note }) => (
            <li key={key}>
              <span class="clamp" title={name}>
                <bdi>{name}</bdi> <span class="muted">{note}</span>
              </span>
              {pluralize(n, 'request')} <span class="muted">{formatPercent(n / requests)}</span>
              <ShareBar share={n / requests} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
};
