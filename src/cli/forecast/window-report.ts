import { SECOND } from '../../clock.ts';
import type { Forecast } from '../../quota/estimation/forecast.ts';
import type { WindowEstimate, WindowReason } from '../../quota/estimation/window-estimation.ts';
import { formatDuration } from '../terminal/format.ts';
import { formatSecond } from '../terminal/times.ts';

/** Why the finish time is a range. */
const REASONS: Readonly<Record<WindowReason, string>> = {
  no_samples: 'the database has no earlier quota samples of this key, so the length of the window is unknown',
  few_returns: 'too few returns of spent requests were seen to prove the length of the window',
  other_programs: 'other programs use this key, so the returns of spent requests do not prove the length of the window',
  contradiction: 'the quota samples contradict each other, so the length of the window is unknown',
};
const UNKNOWN_RETURNS = 'it is unknown when the spent requests return';

const describeWindowReason = ({ reason }: WindowEstimate): string =>
  reason === undefined ? UNKNOWN_RETURNS : REASONS[reason];

const UNKNOWN_REQUESTS = 'the number of requests is unknown';

/**
 * Describes the finish time: one figure, or what is known of it and the reason.
 * @param context.most the forecast of the highest number of requests; undefined if there is none
 */
export function describeFinish(
  { finishAt, earliestAt }: Forecast,
  context: { readonly most: Forecast | undefined; readonly window: WindowEstimate; readonly now: number },
): string[] {
  const { most, window, now } = context;
  const at = (time: number): string => `${formatDuration(Math.max(SECOND, time - now))} (${formatSecond(time)})`;
  const latestAt = most?.latestAt;
  if (finishAt !== undefined && finishAt === latestAt) return [`Finish: in about ${at(finishAt)}.`];
  const reason = describeWindowReason(window);
  if (earliestAt === undefined)
    return latestAt === undefined
      ? [`Finish: unknown, because ${reason}.`]
      : [`Latest finish: in ${at(latestAt)}; the earliest is unknown, because ${reason}.`];
  const earliest = `Earliest finish: in ${at(earliestAt)}`;
  if (latestAt === undefined)
    return [`${earliest}; the latest is unknown, because ${most === undefined ? UNKNOWN_REQUESTS : reason}.`];
  return [
    `${earliest}, latest: in ${at(latestAt)}.`,
    `A range, because ${finishAt === undefined ? reason : UNKNOWN_REQUESTS}.`,
  ];
}

/** The window of the quota. The bounds cover all window types that fit the record. */
export function toQuotaWindowJson(window: WindowEstimate) {
  const { ranges, provenMs, reason } = window;
  const isBounded = ranges.every(({ maxMs }) => maxMs !== undefined);
  return {
    isProven: provenMs !== undefined,
    kinds: ranges.map(({ kind }) => kind),
    minMs: Math.floor(Math.min(...ranges.map(({ minMs }) => minMs))),
    maxMs: isBounded ? Math.ceil(Math.max(...ranges.map(({ maxMs }) => maxMs ?? 0))) : null,
    reason: reason === undefined ? null : REASONS[reason],
  };
}
