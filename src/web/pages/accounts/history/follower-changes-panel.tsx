import type { FollowerChanges } from '../../../../dashboard/api/account-history.ts';
import { formatCount } from '../../../../text.ts';
import { Panel } from '../../../components/panel.tsx';
import { Plot } from '../../../components/plot.tsx';
import { MissingParts } from './missing-parts.tsx';
import { describePeriod, PeriodTable } from './period-table.tsx';

const DAY_MS = 86_400_000;
const LENGTHS_MS = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const;

/** Followers gained and lost, as complete lists show them. */
export const FollowerChangesPanel = ({ changes }: { readonly changes: FollowerChanges }) => {
  const { period, counts, missing, causes } = changes;
  const known = counts.filter(({ gained, lost }) => gained !== null || lost !== null);
  const [first, last] = [known[0], known.at(-1)];
  const [gained, lost] = [sum(known.map((one) => one.gained)), sum(known.map((one) => one.lost))];
  return (
    <Panel id="follower-changes" title="Followers gained and lost" note={`by ${period} in which it was noticed, UTC`}>
      {first && last && (
        <p>
          From {describePeriod(first.start, period)} to {describePeriod(last.start, period)}:{' '}
          <strong>{formatCount(gained)}</strong> gained, <strong>{formatCount(lost)}</strong> lost
        </p>
      )}
      {causes && <p>{causes}</p>}
      {first && first !== last && (
        <>
          <Plot
            description={`Followers by ${period}: ${formatCount(gained)} gained, ${formatCount(lost)} lost. The table has the numbers.`}
            times={counts.map(({ start }) => Date.parse(start))}
            from={Date.parse(counts[0]!.start) - LENGTHS_MS[period] / 2}
            to={Date.parse(counts.at(-1)!.start) + LENGTHS_MS[period] / 2}
            height={160}
            lines={[
              { label: 'Gained', color: 'chart-series-1', values: counts.map((one) => one.gained), isBars: true },
              {
                label: 'Lost',
                color: 'chart-series-2',
                isBars: true,
                values: counts.map((one) => (one.lost === null ? null : -one.lost)),
              },
            ]}
          />
          <ul class="plot-legend">
            <li>Gained {formatCount(gained)}</li>
            <li class="series-2">Lost {formatCount(lost)}, below the axis</li>
          </ul>
        </>
      )}
      <MissingParts missing={missing} />
      {first && (
        <PeriodTable
          caption="Followers gained and lost"
          period={period}
          rows={known}
          columns={[
            { title: 'Gained', render: (one) => (one.gained === null ? '–' : formatCount(one.gained)) },
            { title: 'Lost', render: (one) => (one.lost === null ? '–' : formatCount(one.lost)) },
          ]}
          note="In part: changes may be missing, or belong to an earlier period. A follower is lost when two complete lists in a row lack it."
        />
      )}
    </Panel>
  );
};

const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((total, n) => total + (n ?? 0), 0);
