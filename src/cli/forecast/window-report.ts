import { SECOND } from '../../base/clock.ts';
import type { Forecast } from '../../service/quota/forecast.ts';
import { formatDuration, formatSecond } from '../terminal/print.ts';

const UNKNOWN_REQUESTS = 'the number of requests is unknown';

/**
 * Describes the finish time: one figure, or what is known of it and the reason.
 * @param context.most the forecast of the highest number of requests; undefined if there is none
 */
export function describeFinish(
  { finishAt, earliestAt }: Forecast,
  { most, now }: { readonly most: Forecast | undefined; readonly now: number },
): string[] {
  const at = (time: number): string => `${formatDuration(Math.max(SECOND, time - now))} (${formatSecond(time)})`;
  const latestAt = most?.finishAt;
  if (finishAt !== undefined && finishAt === latestAt) return [`Finish: in about ${at(finishAt)}.`];
  if (earliestAt === undefined)
    return ['Finish: unknown, because token-info has not shown the length of the window of this key.'];
  const earliest = `Earliest finish: in ${at(earliestAt)}`;
  if (latestAt !== undefined)
    return [`${earliest}, latest: in ${at(latestAt)}.`, `A range, because ${UNKNOWN_REQUESTS}.`];
  const reason = most === undefined ? UNKNOWN_REQUESTS : 'the window may be longer than token-info shows';
  return [`${earliest}; the latest is unknown, because ${reason}.`];
}
