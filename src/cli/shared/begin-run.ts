import { systemClock } from '../../clock.ts';
import type { Writer } from '../../store/writer/writer.ts';

export interface BudgetOptions {
  /** The maximum number of accounts of all its snowballs together. */
  readonly maxTargets?: number;
  readonly maxRequests?: number;
  readonly maxRequestsPerDay?: number;
}

/** Creates the run that the crawls of a command share. Returns its id; undefined without a shared limit. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay, maxTargets }: BudgetOptions,
): Promise<number | undefined> {
  if ((perRun ?? perDay ?? maxTargets) === undefined) return undefined;
  return await write.createRun(systemClock.now(), { perRun, perDay });
}
