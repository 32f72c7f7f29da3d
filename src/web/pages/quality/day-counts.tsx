import type { DayCount } from '../../../dashboard/api/quality.ts';
import { formatCount } from '../../../text.ts';
import { Plot } from '../../components/plot.tsx';
import { now } from '../../live/now.ts';

const DAY = 86_400_000;
/** The days that are drawn: at least two weeks, at most three months. */
const LEAST_DAYS = 14;
const SHOWN_DAYS = 90;

/** Counts by day as a line up to today, with a table. A day without a count has none. */
export function DayCounts(props: {
  readonly title: string;
  readonly counted: string;
  readonly days: readonly DayCount[];
}) {
  const { title, counted, days } = props;
  const today = Math.floor(now.value / DAY) * DAY;
  const counts = new Map(days.map(({ day, n }) => [Date.parse(day), n]));
  const ago = Math.round((today - Math.min(...counts.keys())) / DAY) + 1;
  const length = Math.min(Math.max(ago, LEAST_DAYS), SHOWN_DAYS);
  const from = today - (length - 1) * DAY;
  const times = Array.from({ length }, (_, i) => from + i * DAY);
  const shown = times.map((at) => counts.get(at) ?? 0);
  const total = shown.reduce((sum, n) => sum + n, 0);
  const listed = days.toReversed().slice(0, SHOWN_DAYS);
  return (
    <div class="day-counts">
      <h3>{title}</h3>
      <Plot
        description={`${title}: ${formatCount(total)} since ${toDay(from)}. The table has the numbers.`}
        times={times}
        from={from}
        to={today}
        height={120}
        lines={[{ label: counted, color: 'chart-series-1', values: shown, hasPoints: times.length < 40 }]}
      />
      <details>
        <summary>{counted} by day</summary>
        <table class="narrow-table">
          <caption class="visually-hidden">{title}, the latest first; days without one are left out</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col" class="number">
                {counted}
              </th>
            </tr>
          </thead>
          <tbody>
            {listed.map(({ day, n }) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                <td class="number">{formatCount(n)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </div>
  );
}

const toDay = (at: number): string => new Date(at).toISOString().slice(0, 10);
