import type { FollowerChanges, FollowerCounts } from '../../../../dashboard/api/account-history.ts';
import { formatCount } from '../../../../text.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { Plot } from '../../../components/plot.tsx';
import { MissingParts } from './missing-parts.tsx';

/** The most periods that a table lists. */
const LISTED = 60;

type Period = FollowerCounts['period'];

/** The number of followers over time. Each change has its period. */
export const FollowersPanel = ({ followers }: { readonly followers: FollowerCounts }) => {
  const { period, counts, change, missing } = followers;
  const known = counts.filter((one) => one.followers !== null);
  const [last] = known.slice(-1);
  return (
    <Panel id="followers-over-time" title="Followers over time" note={`by ${period}, as reported, UTC`}>
      {last === undefined ? (
        <EmptyState title="No count">The service has not reported the number of followers.</EmptyState>
      ) : (
        <p>
          <strong>{formatCount(last.followers!)}</strong> on {toDay(last.asOf)}
          {change && (
            <>
              ; <strong>{formatChange(change.value)}</strong> from {toDay(change.from)} to {toDay(change.to)}
            </>
          )}
        </p>
      )}
      {known.length > 1 && (
        <Plot
          description={`Followers by ${period}: from ${formatCount(known[0]!.followers!)} to ${formatCount(last!.followers!)}. The table has the numbers.`}
          times={counts.map(({ start }) => Date.parse(start))}
          {...rangeOf(counts)}
          height={180}
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
      {known.length > 0 && (
        <details>
          <summary>Counts: {formatCount(known.length)}</summary>
          <table>
            <caption class="visually-hidden">Followers by {period}, the latest first</caption>
            <thead>
              <tr>
                <th scope="col">Period</th>
                <th scope="col" class="number">
                  Followers
                </th>
                <th scope="col" class="number">
                  Change in the period
                </th>
                <th scope="col" class="number">
                  As of
                </th>
              </tr>
            </thead>
            <tbody>
              {known
                .toReversed()
                .slice(0, LISTED)
                .map((one) => (
                  <tr key={one.start}>
                    <th scope="row">{formatPeriod(one.start, period)}</th>
                    <td class="number">{formatCount(one.followers!)}</td>
                    <td class="number">{one.change === null ? '–' : formatChange(one.change)}</td>
                    <td class="number">{toDay(one.asOf)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          <p class="more">A change is since the last count before the period.</p>
          <Listed all={known.length} />
        </details>
      )}
    </Panel>
  );
};

/** Followers gained and lost, as complete lists show them. */
export const FollowerChangesPanel = ({ changes }: { readonly changes: FollowerChanges }) => {
  const { period, counts, missing } = changes;
  const known = counts.filter(({ gained, lost }) => gained !== null || lost !== null);
  const [gained, lost] = [sum(known.map((one) => one.gained)), sum(known.map((one) => one.lost))];
  return (
    <Panel id="follower-changes" title="Followers gained and lost" note={`by ${period} in which it was noticed, UTC`}>
      {known.length > 0 && (
        <>
          <p>
            From {formatPeriod(known[0]!.start, period)} to {formatPeriod(known.at(-1)!.start, period)}:{' '}
            <strong>{formatCount(gained)}</strong> gained, <strong>{formatCount(lost)}</strong> lost
          </p>
          {known.length > 1 && (
            <>
              <Plot
                description={`Followers by ${period}: ${formatCount(gained)} gained, ${formatCount(lost)} lost. The table has the numbers.`}
                times={counts.map(({ start }) => Date.parse(start))}
                {...rangeOf(counts)}
                height={160}
                lines={[
                  {
                    label: 'Gained',
                    color: 'chart-series-3',
                    values: counts.map((one) => one.gained),
                    hasPoints: true,
                  },
                  { label: 'Lost', color: 'chart-gap', values: counts.map((one) => one.lost), hasPoints: true },
                ]}
              />
              <ul class="plot-legend">
                <li class="series-3">Gained {formatCount(gained)}</li>
                <li class="failed">Lost {formatCount(lost)}</li>
              </ul>
            </>
          )}
        </>
      )}
      <MissingParts missing={missing} />
      {known.length > 0 && (
        <details>
          <summary>Periods: {formatCount(known.length)}</summary>
          <table>
            <caption class="visually-hidden">Followers gained and lost by {period}, the latest first</caption>
            <thead>
              <tr>
                <th scope="col">Period</th>
                <th scope="col" class="number">
                  Gained
                </th>
                <th scope="col" class="number">
                  Lost
                </th>
              </tr>
            </thead>
            <tbody>
              {known
                .toReversed()
                .slice(0, LISTED)
                .map((one) => (
                  <tr key={one.start}>
                    <th scope="row">
                      {formatPeriod(one.start, period)}
                      {one.isPartial && ' (in part)'}
                    </th>
                    <td class="number">{one.gained === null ? '–' : formatCount(one.gained)}</td>
                    <td class="number">{one.lost === null ? '–' : formatCount(one.lost)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          <p class="more">
            In part: changes may be missing, or belong to an earlier period. A follower is lost when two complete lists
            in a row lack it.
          </p>
          <Listed all={known.length} />
        </details>
      )}
    </Panel>
  );
};

const Listed = ({ all }: { readonly all: number }) =>
  all > LISTED ? <p class="more">The latest {formatCount(LISTED)} are listed.</p> : null;

const sum = (numbers: readonly (number | null)[]): number => numbers.reduce<number>((total, n) => total + (n ?? 0), 0);

const rangeOf = (counts: readonly { readonly start: string }[]): { from: number; to: number } => ({
  from: Date.parse(counts[0]!.start),
  to: Date.parse(counts.at(-1)!.start),
});

const formatChange = (value: number): string =>
  value === 0 ? '±0' : `${value > 0 ? '+' : '−'}${formatCount(Math.abs(value))}`;

const toDay = (time: string | null): string => time?.slice(0, 10) ?? '–';

const formatPeriod = (start: string, period: Period): string =>
  ({ day: start, week: `the week of ${start}`, month: start.slice(0, 7) })[period];
