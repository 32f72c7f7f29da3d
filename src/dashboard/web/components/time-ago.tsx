import { toIso } from '#base/units.ts';
import { formatAge, formatUtc } from '#dashboard/web/format-numbers.ts';
import { now } from '#dashboard/web/live/now.ts';

/** The time since a moment, which counts on; the moment itself as a tooltip. */
export const TimeAgo = ({ at }: { readonly at: number }) => (
  <time dateTime={toIso(at)} title={formatUtc(at)}>
    {formatAge(at, now.value)}
  </time>
);
