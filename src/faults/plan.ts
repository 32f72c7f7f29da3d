import type { FaultCondition } from './definition/condition.ts';
import type { FaultName } from './fault-table.ts';

/** A rule of a plan: a fault, its conditions and its options. */
export interface FaultRule extends FaultCondition {
  readonly fault: FaultName;
  /** Allows a fault that loses data without a trace. */
  readonly lossy?: boolean | undefined;
  readonly [option: string]: unknown;
}

/** Faults of a service and their conditions. Plain data. */
export type FaultPlan = readonly FaultRule[];
