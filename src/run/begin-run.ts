import { systemClock } from '../clock.ts';
import type { Writer } from '../store/writer/writer.ts';

/** The limits that the crawls of a run share. */
export interface BudgetOptions {
  /** The maximum number of accounts of all its snowballs together. */
  readonly maxTargets?: number | undefined;
  readonly maxRequests?: number | undefined;
  readonly maxRequestsPerDay?: number | undefined;
}

/** Creates the run that crawls with a budget share. Returns its id; undefined without a shared limit. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay, maxTargets }: BudgetOptions,
): Promise<number | undefined> {
  if ((perRun ?? perDay ?? maxTargets) === undefined) return undefined;
  return await write.createRun(systemClock.now(), { perRun, perDay });
}
