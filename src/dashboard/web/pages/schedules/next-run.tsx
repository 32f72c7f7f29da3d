import { formatMinute, toIso } from '../../../../base/units.ts';
import type { JobLine } from '../../../server/api/schedules.ts';
import { formatAge, formatRest, formatUtc } from '../../format-numbers.ts';
import { overview } from '../../live/live-updates.ts';
import { now } from '../../live/now.ts';

const MINUTE = 60_000;

/** When a job runs next, in UTC and from now. */
export function NextRun({ job: { isEnabled, dueAt, nextAt } }: { readonly job: JobLine }) {
  const [next] = nextAt;
  if (!isEnabled) return <span class="muted">Disabled</span>;
  if (dueAt !== null) {
    const isLate = overview.value?.work.workers === 0 && now.value - dueAt > MINUTE;
    return (
      <span class={isLate ? 'warn' : ''} title={formatUtc(dueAt)}>
        <span class="nowrap">Due since {formatMinute(dueAt)}</span>{' '}
        <span class="muted nowrap">{formatAge(dueAt, now.value)}</span>
      </span>
    );
  }
  if (next === undefined) return <span class="muted">No further run</span>;
  return (
    <time dateTime={toIso(next)} title={formatUtc(next)}>
      <span class="nowrap">{formatMinute(next)}</span>{' '}
      <span class="muted nowrap">in {formatRest(next, now.value)}</span>
    </time>
  );
}
