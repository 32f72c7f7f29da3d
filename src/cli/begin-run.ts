import { systemClock } from '../clock.ts';
import type { Writer } from '../store/writer.ts';

/** What a command may spend, as it was typed. */
export interface BudgetWords {
  readonly maxRequests?: number;
  readonly maxRequestsPerDay?: number;
}

/** The run that all crawls of a command belong to; undefined where it has no budget, and so nothing to share. */
export async function beginRun(
  write: Writer,
  { maxRequests: perRun, maxRequestsPerDay: perDay }: BudgetWords,
): Promise<number | undefined> {
  if (perRun === undefined && perDay === undefined) return undefined;
  return await write.beginRun(systemClock.now(), { perRun, perDay });
}
