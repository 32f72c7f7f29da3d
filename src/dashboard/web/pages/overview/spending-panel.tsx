import { pluralize } from '../../../../base/text.ts';
import { formatDuration, formatPercent } from '../../../../base/units.ts';
import type { SpendingData } from '../../../server/api/overview.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { ShareList } from '../../components/share-list.tsx';

/** Which crawls sent the requests of the last time. */
export const SpendingPanel = ({ spending: { ms, requests, crawls, others } }: { readonly spending: SpendingData }) => {
  const toShare = (key: number, name: string, n: number) => ({
    key,
    name,
    note: key === 0 ? '' : `#${key}`,
    amount: `${pluralize(n, 'request')}, ${formatPercent(n / requests)}`,
    share: n / requests,
  });
  const shares = [
    ...crawls.map(({ id, name, requests: n }) => toShare(id, name, n)),
    ...(others > 0 ? [toShare(0, 'Others', others)] : []),
  ];
  return (
    <Panel id="spending" title="Requests by crawl" note={`last ${formatDuration(ms)}`}>
      {requests === 0 ? (
        <EmptyState title="No request was sent">No crawl uses the quota now.</EmptyState>
      ) : (
        <ShareList shares={shares} />
      )}
    </Panel>
  );
};
