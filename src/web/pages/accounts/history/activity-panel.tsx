import type { PostingActivity } from '../../../../dashboard/api/account-history.ts';
import { formatCount, pluralize } from '../../../../text.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { Panel } from '../../../components/panel.tsx';
import { MissingParts } from './missing-parts.tsx';

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));
/** The shades of cells with posts. */
const LEVELS = [1, 2, 3, 4];

/** The posts of each hour of the week, by shades, with their numbers for screen readers. */
export const ActivityPanel = ({ activity }: { readonly activity: PostingActivity }) => (
  <Panel id="activity" title="Posting activity by hour (UTC)" note={`n = ${pluralize(activity.posts, 'stored post')}`}>
    {activity.hours.length === 0 ? (
      <EmptyState title="Too few posts">
        {formatCount(activity.posts)} of at least {formatCount(activity.least)}: the hours of fewer posts show mostly
        chance.
      </EmptyState>
    ) : (
      <Hours hours={activity.hours} />
    )}
    <MissingParts missing={activity.missing} />
  </Panel>
);

function Hours({ hours }: Pick<PostingActivity, 'hours'>) {
  const most = Math.max(1, ...hours.map((n) => n ?? 0));
  const ranges = LEVELS.map((level) => ({
    level,
    from: Math.floor(((level - 1) * most) / LEVELS.length) + 1,
    to: Math.floor((level * most) / LEVELS.length),
  })).filter(({ from, to }) => from <= to);
  return (
    <>
      <table class="hours">
        <caption class="visually-hidden">Stored posts by day of the week and hour (UTC)</caption>
        <thead>
          <tr>
            <th scope="col">
              <span class="visually-hidden">Day</span>
            </th>
            {HOURS.map((hour, i) => (
              <th key={hour} scope="col">
                <span class={i % 6 === 0 ? '' : 'visually-hidden'}>{hour}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {DAYS.map((day, i) => (
            <tr key={day}>
              <th scope="row">{day}</th>
              {hours.slice(i * HOURS.length, (i + 1) * HOURS.length).map((n, hour) => (
                <td
                  key={hour}
                  class={n === null ? 'unobserved' : `level-${Math.ceil((n * LEVELS.length) / most)}`}
                  title={`${day} ${HOURS[hour]}:00 UTC: ${n === null ? 'not observed' : pluralize(n, 'post')}`}
                >
                  <span class="visually-hidden">{n ?? 'not observed'}</span>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <ul class="hours-legend" aria-label="Posts in an hour">
        <li>
          <i class="level-0" />0 posts
        </li>
        {ranges.map(({ level, from, to }) => (
          <li key={level}>
            <i class={`level-${level}`} />
            {from === to ? from : `${formatCount(from)} to ${formatCount(to)}`}
          </li>
        ))}
        {hours.includes(null) && (
          <li>
            <i class="unobserved" />
            Not observed
          </li>
        )}
      </ul>
    </>
  );
}
