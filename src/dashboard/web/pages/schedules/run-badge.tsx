import type { JobRunOutcomeName } from '../../../server/api/schedules.ts';

/** The words and the colours of `StateBadge`: success is neutral. */
const OUTCOMES: Readonly<Record<JobRunOutcomeName | 'missed', readonly [label: string, state: string]>> = {
  succeeded: ['Succeeded', 'complete'],
  partial: ['Partial', 'partial'],
  failed: ['Failed', 'failed'],
  cancelled: ['Cancelled', 'cancelled'],
  unfinished: ['Unfinished', 'running'],
  joined: ['Continued', 'cancelled'],
  missed: ['Missed', 'partial'],
};

/** The outcome of a run. */
export const RunBadge = ({ outcome }: { readonly outcome: keyof typeof OUTCOMES }) => {
  const [label, state] = OUTCOMES[outcome];
  return (
    <span class={`state ${state}`}>
      <i aria-hidden="true" />
      {label}
    </span>
  );
};
