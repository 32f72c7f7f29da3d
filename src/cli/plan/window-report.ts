import { SECOND } from '../../clock.ts';
import type { Forecast } from '../../quota/estimation/forecast.ts';
import type { WindowEstimate, WindowReason } from '../../quota/estimation/window-estimation.ts';
import { formatDuration } from '../terminal/format.ts';
import { formatSecond } from '../terminal/times.ts';

/** Why a plan has no single figure for the time, in one sentence each. */
const REASONS: Readonly<Record<WindowReason, string>> = {
  no_samples: 'the store has no earlier samples of the quota of this key, so the length of the window is not known',
  few_returns: 'too few spent requests were seen to return to prove the length of the window',
  other_programs: 'other programs use this key, so the returns of spent requests do not prove the length of the window',
  contradiction: 'the samples of the quota contradict each other, so the length of the window is not known',
};
const UNKNOWN_RETURNS = 'it is not known when the requests that count now return';

const reasonOf = ({ reason }: WindowEstimate): string => (reason === undefined ? UNKNOWN_RETURNS : REASONS[reason]);

/** When it is finished: one figure, or a range and the reason. */
export function describeFinish(
  { finishAt, earliestAt, latestAt }: Forecast,
  context: { readonly isLeast: boolean; readonly window: WindowEstimate; readonly now: number },
): string[] {
  const { isLeast, window, now } = context;
  const at = (time: number): string => `${formatDuration(Math.max(SECOND, time - now))} (${formatSecond(time)})`;
  if (finishAt !== undefined) return [`Finished ${isLeast ? 'not before' : 'in about'} ${at(finishAt)}.`];
  const latest = isLeast
    ? ''
    : latestAt === undefined
      ? ', at the latest: not known'
      : `, at the latest: in ${at(latestAt)}`;
  return [`Finished at the earliest: in ${at(earliestAt)}${latest}.`, `A range, since ${reasonOf(window)}.`];
}

/** What is known of the window; the bounds are those of all kinds of window that fit the record. */
export function toWindowJson(window: WindowEstimate) {
  const { ranges, provenMs, reason } = window;
  const isBounded = ranges.every(({ maxMs }) => maxMs !== undefined);
  return {
    isProven: provenMs !== undefined,
    kinds: ranges.map(({ kind }) => kind),
    leastMs: Math.floor(Math.min(...ranges.map(({ minMs }) => minMs))),
    mostMs: isBounded ? Math.ceil(Math.max(...ranges.map(({ maxMs }) => maxMs ?? 0))) : null,
    reason: reason === undefined ? null : REASONS[reason],
  };
}
