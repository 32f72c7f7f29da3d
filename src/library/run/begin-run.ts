import { systemClock } from '../../base/clock.ts';
import type { Writer } from '../../store/writer/writer.ts';

/** The limits that all crawls of a run share. */
export interface BudgetOptions {
  /** The maximum number of accounts that all snowballs of the run discover. */
  readonly maxTargets?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly maxRequestsPerDay?: number | undefined;
}

/** Creates a run if there is a shared limit. Returns its id; undefined without a limit. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay, maxTargets }: BudgetOptions,
): Promise<number | undefined> {
  if ((perRun ?? perDay ?? maxTargets) === undefined) return undefined;
  return await write.createRun(systemClock.now(), { perRun, perDay });
}
