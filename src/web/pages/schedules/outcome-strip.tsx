import type { JobHistoryEntry } from '../../../dashboard/api/schedules.ts';
import { formatCount } from '../../../text.ts';
import { describeOutcome } from './run-badge.tsx';

/** The latest outcomes as a row of marks, oldest first. The description says the same. */
export function OutcomeStrip({ history }: { readonly history: readonly JobHistoryEntry[] }) {
  const marks = history.toReversed().map((entry) => (entry.type === 'run' ? entry.outcome : 'missed'));
  const counts = new Map<(typeof marks)[number], number>();
  for (const entry of history) {
    const mark = entry.type === 'run' ? entry.outcome : 'missed';
    counts.set(mark, (counts.get(mark) ?? 0) + (entry.type === 'run' ? 1 : entry.count));
  }
  const words = [...counts].map(([mark, n]) => `${formatCount(n)} ${describeOutcome(mark).toLowerCase()}`);
  return (
    <span class="outcome-strip" role="img" aria-label={`Latest runs: ${words.join(', ')}`} title={words.join(', ')}>
      {marks.map((mark, i) => (
        <i key={i} class={mark} />
      ))}
    </span>
  );
}
