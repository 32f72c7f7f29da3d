import type { JobHistoryEntry } from '../../../dashboard/api/schedules.ts';
import { formatCount, pluralize } from '../../../text.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { Plot } from '../../components/plot.tsx';
import { formatUtc } from '../../format.ts';
import { computeYield, formatYield } from './yield.ts';

/** The yield of each run over time. The table of runs has the numbers. */
export function YieldChart({ history }: { readonly history: readonly JobHistoryEntry[] }) {
  const runs = history.filter((entry) => entry.type === 'run').toReversed();
  const known = runs.filter((run) => computeYield(run) !== null);
  const [first, last] = [known[0], known.at(-1)];
  if (!first || !last || first === last)
    return (
      <EmptyState title="No line yet">
        {known.length === 0 ? 'No run has sent a request.' : 'It is drawn from the second run with a request on.'}
      </EmptyState>
    );
  // A missed time breaks the line.
  const points = history.toReversed().flatMap((entry) => {
    if (entry.type === 'missed') return [[entry.from, null] as const];
    return [[entry.at, computeYield(entry)] as const];
  });
  const failed = runs.filter(({ outcome }) => outcome === 'failed');
  return (
    <>
      <Plot
        description={`New items and changes per request of ${pluralize(known.length, 'run')} from ${formatUtc(first.at)} to ${formatUtc(last.at)}: first ${formatYield(first)}, last ${formatYield(last)}. The table of runs has the numbers.`}
        times={points.map(([at]) => at)}
        from={points[0]![0]}
        to={points.at(-1)![0]}
        height={160}
        lines={[
          {
            label: 'New per request',
            color: 'chart-series-1',
            values: points.map(([, value]) => value),
            hasPoints: true,
          },
        ]}
      />
      {failed.length > 0 && <p class="more">{formatCount(failed.length)} of these runs failed: see the table.</p>}
    </>
  );
}
