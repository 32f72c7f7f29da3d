import { systemClock } from '../../clock.ts';
import type { Writer } from '../../store/writer/writer.ts';

/** What a command may spend, as it was typed. */
export interface BudgetOptions {
  /** How many accounts its snowballs may have together. */
  readonly maxTargets?: number;
  readonly maxRequests?: number;
  readonly maxRequestsPerDay?: number;
}

/** The run that all crawls of a command belong to; undefined where it has no limit that they share. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay, maxTargets }: BudgetOptions,
): Promise<number | undefined> {
  if ((perRun ?? perDay ?? maxTargets) === undefined) return undefined;
  return await write.beginRun(systemClock.now(), { perRun, perDay });
}
