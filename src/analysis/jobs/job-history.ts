import { describeStopReason } from '#analysis/crawls/end-reasons.ts';
import { formatCount, pluralize } from '#base/text.ts';
import { findMissedRuns, type MissedRuns } from '#crawl/jobs/missed-runs.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';
import type { JobRunResult } from '#store/schema/query-results.ts';
import { judgeRun } from './job-conditions.ts';
import type { RunTotals } from './run-totals.ts';

export type JobRunOutcomeName = 'succeeded' | 'partial' | 'failed' | 'cancelled' | 'unfinished' | 'joined';

/** A run, with the numbers of its crawls and their child crawls. Times are milliseconds UTC. */
export interface JobRun extends Pick<RunTotals, 'requests' | 'newItems' | 'changes' | 'gone' | 'finishedAt'> {
  readonly type: 'run';
  readonly id: number;
  readonly at: number;
  readonly outcome: JobRunOutcomeName;
  /** Why it is partial or failed, or what else is to be known, in words; empty if there is nothing. */
  readonly reason: string;
  /** The number of its crawls, without child crawls. */
  readonly crawls: number;
}

/** A run, or times of the schedule at which no worker started a run. */
export type JobHistoryEntry = JobRun | ({ readonly type: 'missed' } & MissedRuns);

/** Returns runs and the missed times between them, newest first. @param results newest first */
export function toJobHistory(
  entry: ScheduledJob,
  results: readonly JobRunResult[],
  options: { readonly isAll: boolean; readonly now: number; readonly readTotals: (runId: number) => RunTotals },
): JobHistoryEntry[] {
  const { isAll, now, readTotals } = options;
  const missed = findMissedRuns(entry, { times: results.map(({ at }) => at), isAll }, now);
  const missedAfter = (i: number): JobHistoryEntry[] => {
    const found = missed.get(i);
    return found ? [{ type: 'missed', ...found }] : [];
  };
  return [
    ...missedAfter(-1),
    ...results.flatMap((result, i) => [toJobRun(result, readTotals(result.runId)), ...missedAfter(i)]),
  ];
}

function toJobRun(result: JobRunResult, totals: RunTotals): JobRun {
  const { runId: id, at, crawls } = result;
  const { finishedAt, requests, newItems, changes, gone } = totals;
  const outcome = judgeOutcome(result, totals);
  const reason = describeRun(result, totals, outcome);
  return { type: 'run', id, at, finishedAt, outcome, reason, crawls, requests, newItems, changes, gone };
}

/** The result that alerts are about (`judgeRun`), with what they leave open. */
function judgeOutcome(result: JobRunResult, { states }: RunTotals): JobRunOutcomeName {
  if (result.isUnfinished) return 'unfinished';
  const judged = judgeRun(result);
  if (judged === 'failed') return 'failed';
  if (judged === undefined) return result.crawls === 0 ? 'joined' : 'cancelled';
  const { failed = 0, partial = 0, cancelled = 0 } = states;
  return failed + partial + cancelled > 0 || result.error !== null ? 'partial' : 'succeeded';
}

/** More reasons are not named. */
const NAMED_REASONS = 3;

function describeRun(
  { error, crawls, hasNews }: JobRunResult,
  { states, reasons, gone }: RunTotals,
  outcome: JobRunOutcomeName,
): string {
  if (outcome === 'joined') return 'a later run continued its crawls';
  const { cancelled = 0 } = states;
  const named = reasons.slice(0, NAMED_REASONS).map(({ state, reason, n }) => {
    const which = crawls === 1 ? '' : `${n} of ${pluralize(crawls, 'crawl')} ${state}: `;
    return `${which}${reason === null ? 'no reason is known' : describeStopReason(reason)}`;
  });
  return [
    ...(error === null ? [] : [error]),
    ...named,
    ...(reasons.length > NAMED_REASONS ? ['further reasons'] : []),
    ...(cancelled > 0 && outcome === 'partial' ? [`${pluralize(cancelled, 'crawl')} cancelled`] : []),
    ...(gone > 0 ? [`${formatCount(gone)} no longer ${gone === 1 ? 'exists' : 'exist'}`] : []),
    ...(hasNews || !['succeeded', 'partial'].includes(outcome) ? [] : ['nothing new']),
  ].join('; ');
}
