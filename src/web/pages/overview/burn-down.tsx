import type { QuotaData } from '../../../dashboard/api/overview.ts';
import { formatCount } from '../../../text.ts';
import { formatDuration } from '../../../units.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Panel } from '../../components/panel.tsx';
import { Plot } from '../../components/plot.tsx';

const MINUTE = 60_000;

/** The axis shows at least this time. */
const LEAST_MS = 5 * MINUTE;

/** The quota over time, with the reserve. The line is broken where nobody asked the service. */
export const BurnDown = ({ quota, at }: { readonly quota: QuotaData | null; readonly at: number }) => {
  const samples = quota?.samples ?? [];
  const first = samples[0]?.[0] ?? at;
  const from = Math.min(first, at - LEAST_MS);
  const known = samples.filter(([, left]) => left !== null);
  return (
    <Panel
      id="burn-down"
      title="Quota left"
      note={`last ${formatDuration(Math.ceil((at - from) / MINUTE) * MINUTE)}, UTC`}
      class="burn-down"
    >
      {quota && known.length > 1 ? (
        <Plot
          description={describe(quota, known, at - from)}
          times={samples.map(([time]) => time)}
          from={from}
          to={at}
          lines={[{ label: 'left', color: 'accent', values: samples.map(([, left]) => left) }]}
          marks={[{ label: 'reserve', color: 'muted', value: quota.reserve }]}
          max={quota.limit}
          height={190}
        />
      ) : (
        <EmptyState title="No line yet">
          {quota ? 'It is drawn while a worker runs.' : 'It is drawn when the quota is known.'}
        </EmptyState>
      )}
    </Panel>
  );
};

function describe(quota: QuotaData, known: QuotaData['samples'], ms: number): string {
  const [first, last] = [known[0]![1]!, known.at(-1)![1]!];
  const lowest = Math.min(...known.map(([, left]) => left!));
  return `Quota left over the last ${formatDuration(ms)}: from ${formatCount(first)} to ${formatCount(last)}, at least ${formatCount(lowest)}; the reserve is ${formatCount(quota.reserve)} of ${formatCount(quota.limit)}`;
}
