import type { FollowerCount, FollowerCounts } from '../../../../dashboard/api/account-history.ts';
import { formatCount } from '../../../../text.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Plot } from '../../../components/plot.tsx';
import { MissingParts } from './missing-parts.tsx';
import { formatChange, PeriodTable, toDay } from './period-table.tsx';

type KnownCount = FollowerCount & { readonly followers: number; readonly before: FollowerCount | undefined };

/** The number of followers over time. Each change has its period. */
export const FollowersPanel = ({ followers }: { readonly followers: FollowerCounts }) => {
  const { period, counts, change, missing } = followers;
  const known = counts
    .filter((one): one is KnownCount => one.followers !== null)
    .map((one, i, all) => ({ ...one, before: all[i - 1] }));
  const [first, last] = [known[0], known.at(-1)];
  return (
    <Panel id="followers-over-time" title="Followers over time" note={`by ${period}, as reported, UTC`}>
      {first === undefined || last === undefined ? (
        <EmptyState title="No count">The service has not reported the number of followers.</EmptyState>
      ) : (
        <p>
          <strong>{formatCount(last.followers)}</strong> on {toDay(last.asOf)}
          {change && (
            <>
              ; <strong>{formatChange(change.value)}</strong> between {toDay(change.from)} and {toDay(change.to)}
            </>
          )}
        </p>
      )}
      {first && last && first !== last && (
        <Plot
          description={`Followers by ${period}: from ${formatCount(first.followers)} to ${formatCount(last.followers)}. The table has the numbers.`}
          times={counts.map(({ start }) => Date.parse(start))}
          from={Date.parse(counts[0]!.start)}
          to={Date.parse(counts.at(-1)!.start)}
          height={180}
          isFromZero={false}
          lines={[
            {
              label: 'Followers',
              color: 'chart-series-1',
              values: counts.map((one) => one.followers),
              hasPoints: true,
            },
          ]}
        />
      )}
      <MissingParts missing={missing} />
      {first && (
        <PeriodTable
          caption="Followers"
          period={period}
          rows={known}
          columns={[
            { title: 'Followers', render: (one) => formatCount(one.followers) },
            { title: 'As of', render: (one) => <span class="nowrap">{toDay(one.asOf)}</span> },
            {
              title: 'Change',
              render: ({ change: value, before }) =>
                value === null || before === undefined ? (
                  '–'
                ) : (
                  <>
                    {formatChange(value)} since <span class="nowrap">{toDay(before.asOf)}</span>
                  </>
                ),
            },
          ]}
          note="As the service reported them last in the period."
        />
      )}
    </Panel>
  );
};
