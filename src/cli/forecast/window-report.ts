import { SECOND } from '../../clock.ts';
import type { Forecast } from '../../quota/estimation/forecast.ts';
import type { WindowEstimate, WindowReason } from '../../quota/estimation/window-estimation.ts';
import { formatDuration } from '../terminal/format.ts';
import { formatSecond } from '../terminal/times.ts';

/** Why the finish time is a range. */
const REASONS: Readonly<Record<WindowReason, string>> = {
  no_samples: 'the store has no earlier quota samples of this key, so the length of the window is unknown',
  few_returns: 'too few returns of spent requests were seen to prove the length of the window',
  other_programs: 'other programs use this key, so the returns of spent requests do not prove the length of the window',
  contradiction: 'the quota samples contradict each other, so the length of the window is unknown',
};
const UNKNOWN_RETURNS = 'it is unknown when the spent requests return';

const describeWindowReason = ({ reason }: WindowEstimate): string =>
  reason === undefined ? UNKNOWN_RETURNS : REASONS[reason];

/** Describes the finish time: one figure, or what is known of it and the reason. */
export function describeFinish(
  { finishAt, earliestAt, latestAt }: Forecast,
  context: { readonly isLeast: boolean; readonly window: WindowEstimate; readonly now: number },
): string[] {
  const { isLeast, window, now } = context;
  const at = (time: number): string => `${formatDuration(Math.max(SECOND, time - now))} (${formatSecond(time)})`;
  if (finishAt !== undefined)
    return [isLeast ? `Earliest finish: in ${at(finishAt)}.` : `Finish: in about ${at(finishAt)}.`];
  const latest = isLeast ? '' : latestAt === undefined ? ', latest: unknown' : `, latest: in ${at(latestAt)}`;
  const why = `because ${describeWindowReason(window)}.`;
  if (earliestAt !== undefined) return [`Earliest finish: in ${at(earliestAt)}${latest}.`, `A range, ${why}`];
  return isLeast || latestAt === undefined
    ? [`Finish: unknown, ${why}`]
    : [`Latest finish: in ${at(latestAt)}; the earliest is unknown, ${why}`];
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
