import type { SpendingData } from '../../../dashboard/api/overview.ts';
import { formatCount } from '../../../text.ts';
import { formatDuration, formatPercent } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';

/** Which crawls sent the requests of the last time. */
export const SpendingPanel = ({ spending: { ms, requests, crawls, others } }: { readonly spending: SpendingData }) => {
  const rows = [
    ...crawls.map(({ id, name, requests: n }) => ({ key: id, name, n, note: `#${id}` })),
    ...(others > 0 ? [{ key: 0, name: 'Others', n: others, note: '' }] : []),
  ];
  return (
    <Panel id="spending" title="Who spends it" note={`last ${formatDuration(ms)}`} class="spending">
      {requests === 0 ? (
        <EmptyState title="No request was sent">Nothing spends the quota now.</EmptyState>
      ) : (
        <ol class="shares">
          {rows.map(({ key, name, n, note }) => (
            <li key={key} class={key === 0 ? 'others' : ''}>
              <span class="clamp" title={name}>
                <bdi>{name}</bdi> <span class="muted">{note}</span>
              </span>
              <span class="number">{formatCount(n)}</span>
              <span class="number muted">{formatPercent(n / requests)}</span>
              <i class="share" aria-hidden="true" style={{ width: `${(100 * n) / requests}%` }} />
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
};
