import type { ScheduledJob } from '#store/schema/job-messages.ts';
import { createJobSlots, isEnabled, parseJob } from './job.ts';

/** Lists the times of the coming runs, the next first, beginning with one that is due and has not started; none if the job is disabled. */
export function listNextRuns(entry: ScheduledJob, now: number, most: number): number[] {
  if (!isEnabled(parseJob(entry))) return [];
  const slots = createJobSlots(entry);
  const due = slots.findLatest(now);
  const runs = due !== undefined && due > (entry.slot ?? -1) ? [due] : [];
  for (let at: number | undefined = now; runs.length < most;) {
    at = slots.findNext(at);
    if (at === undefined) break;
    runs.push(at);
  }
  return runs;
}
