import { describeRequest } from './oracle/evidence.ts';
import type { Plan } from './plan.ts';
import type { Failure, Run } from './run.ts';

/** Describes a failed simulation: its plan, its requests and the broken invariants. */
export function describeFailures(run: Run, failures: readonly Failure[]): string {
  const { plan, log } = run;
  return [
    ...failures.slice(0, 5).map(({ invariant, message }) => `  ${invariant}: ${message}`),
    ...(failures.length > 5 ? [`  … and ${failures.length - 5} more`] : []),
    ...describePlan(plan).map((line) => `    ${line}`),
    ...log.slice(0, 60).map((entry) => `    ${describeRequest(entry)}`),
  ].join('\n');
}

function describePlan(plan: Plan): string[] {
  const { size, traits, quota, reserve, processes, slots } = plan;
  return [
    `world: ${JSON.stringify(size)}`,
    `service: ${JSON.stringify(traits)}`,
    `quota: ${JSON.stringify(quota)}, reserve ${reserve}; ${processes} processes of ${slots} slots`,
    ...plan.acts.map((act) => `act: ${JSON.stringify(act)}`),
    ...plan.changes.map((change) => `change: ${JSON.stringify(change)}`),
    ...(plan.shapes ?? []).map((shape) => `shape: ${JSON.stringify(shape)}`),
    ...plan.faults.map((fault) => `fault: ${JSON.stringify(fault)}`),
    ...plan.disturbances.map((disturbance) => `disturbance: ${JSON.stringify(disturbance)}`),
    ...(plan.disks ?? []).map((disk) => `disk: ${JSON.stringify(disk)}`),
    ...(plan.outages ?? []).map((outage) => `outage: ${JSON.stringify(outage)}`),
    ...(plan.refusals ?? []).map((refusal) => `refusal: ${JSON.stringify(refusal)}`),
    ...plan.strangers.map((stranger) => `strangers: ${JSON.stringify(stranger)}`),
  ];
}
