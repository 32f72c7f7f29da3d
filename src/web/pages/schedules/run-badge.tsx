import type { JobRunOutcomeName } from '../../../dashboard/api/schedules.ts';

type Outcome = JobRunOutcomeName | 'missed';

/** The words and the colours of `StateBadge`: success is neutral. */
const OUTCOMES: Readonly<Record<Outcome, readonly [label: string, state: string]>> = {
  succeeded: ['Succeeded', 'complete'],
  partial: ['Partial', 'partial'],
  failed: ['Failed', 'failed'],
  cancelled: ['Cancelled', 'cancelled'],
  unfinished: ['Unfinished', 'running'],
  joined: ['Continued', 'cancelled'],
  missed: ['Missed', 'missed'],
};

export const describeOutcome = (outcome: Outcome): string => OUTCOMES[outcome][0];

/** The outcome of a run. */
export const RunBadge = ({ outcome }: { readonly outcome: Outcome }) => {
  const [label, state] = OUTCOMES[outcome];
  return (
    <span class={`state ${state}`}>
      <i aria-hidden="true" />
      {label}
    </span>
  );
};
