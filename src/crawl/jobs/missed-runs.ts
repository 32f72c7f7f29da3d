import { SECOND } from '#base/clock.ts';
import type { ScheduledJob } from '#store/schema/job-messages.ts';
import type { Slots } from './job-schedule.ts';
import { createJobSlots, isEnabled, parseJob } from './job.ts';

/** Consecutive times of a schedule at which no worker started a run. One later run replaces them. */
export interface MissedRuns {
  readonly from: number;
  readonly to: number;
  readonly count: number;
  /** Whether there may be more than `count`. */
  readonly isBounded: boolean;
}

/** More than these are not counted. */
const MOST_COUNTED = 1000;
/** A run may start so long before its time, since the clocks of machines differ. */
const CLOCK_SKEW_MS = 5 * SECOND;

/**
 * Finds the missed times of a job before each of its runs and after the newest one. The newest due time is not missed: it
 * starts when a worker runs. Times before the job got its schedule are not known.
 * @param runs the times of runs, newest first, and whether these are all
 * @returns by the position of the run that replaced them; -1 for those after the newest run
 */
export function findMissedRuns(
  entry: ScheduledJob,
  runs: { readonly times: readonly number[]; readonly isAll: boolean },
  now: number,
): ReadonlyMap<number, MissedRuns> {
  const found = new Map<number, MissedRuns>();
  if (!isEnabled(parseJob(entry))) return found;
  const slots = createJobSlots(entry);
  const due = slots.findLatest(now);
  if (due === undefined) return found;
  const known = runs.times.filter((at) => at >= entry.madeAt - CLOCK_SKEW_MS);
  const isFromStart = runs.isAll || known.length < runs.times.length;
  const points = [due, ...known.map((at) => findSlotOf(slots, at)), ...(isFromStart ? [entry.madeAt - 1] : [])];
  points.slice(1).forEach((earlier, i) => {
    const missed = countBetween(slots, earlier, points[i]!);
    if (missed) found.set(i - 1, missed);
  });
  return found;
}

/** The time of the schedule that a run was for. */
function findSlotOf(slots: Slots, at: number): number {
  const [before, after] = [slots.findLatest(at), slots.findNext(at)];
  const isForNext = after !== undefined && after - at <= Math.min(CLOCK_SKEW_MS, (after - (before ?? at)) / 10);
  return isForNext ? after : (before ?? at);
}

/** Counts the times of a schedule between two others. */
function countBetween(slots: Slots, earlier: number, later: number): MissedRuns | undefined {
  const first = slots.findNext(earlier);
  if (first === undefined || first >= later) return undefined;
  let count = 0;
  let next: number | undefined = first;
  for (; next !== undefined && next < later && count < MOST_COUNTED; count++) next = slots.findNext(next);
  return {
    from: first,
    to: slots.findLatest(later - 1) ?? first,
    count,
    isBounded: next !== undefined && next < later,
  };
}
