import { formatCount } from '../../../../base/text.ts';
import type { QuotaData } from '../../../server/api/overview.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { LinePlot } from '../../components/line-plot.tsx';
import { Panel } from '../../components/panel.tsx';

/** The quota over time, with the reserve. The line is broken where nobody asked the service. */
export const BurnDown = ({ quota }: { readonly quota: QuotaData | null }) => {
  const samples = quota?.samples ?? [];
  const known = samples.flatMap(([, left]) => left ?? []);
  return (
    <Panel id="burn-down" title="Quota left over time" note="UTC">
      {quota && known.length > 1 ? (
        <LinePlot
          description={`Quota left: from ${formatCount(known[0]!)} to ${formatCount(known.at(-1)!)}, at least ${formatCount(Math.min(...known))}; the reserve is ${formatCount(quota.reserve)} of ${formatCount(quota.limit)}`}
          times={samples.map(([time]) => time)}
          lines={[
            { label: 'left', color: 'accent', values: samples.map(([, left]) => left) },
            { label: 'reserve', color: 'muted', values: quota.reserve },
          ]}
        />
      ) : (
        <EmptyState title="No line yet">
          {quota ? 'It is drawn while a worker runs.' : 'It is drawn when the quota is known.'}
        </EmptyState>
      )}
    </Panel>
  );
};
