import type { FaultCondition } from './condition.ts';
import type { FaultName } from './fault-table.ts';

/** One line of a plan: which fault, when, and the fault's own options. */
export interface FaultRule extends FaultCondition {
  readonly fault: FaultName;
  /** Allows a fault that loses data without a trace. */
  readonly lossy?: boolean | undefined;
  readonly [option: string]: unknown;
}

/** Which faults strike a service, and when. Plain data. */
export type FaultPlan = readonly FaultRule[];
