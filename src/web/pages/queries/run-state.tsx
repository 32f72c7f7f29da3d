import { now } from '../../live/now.ts';
import type { AnswerState } from '../../live/use-answer.ts';
import { TIME_LIMITS } from './query-address.ts';

/** How long a run takes so far, with a button that stops it. */
export function RunState(props: {
  readonly answer: Pick<AnswerState<unknown>, 'busySince' | 'isCancelled'> & { readonly cancel: () => void };
  readonly timeLimit: string;
  /** What is done: `Running`. */
  readonly title?: string;
}) {
  const { answer, timeLimit, title = 'Running' } = props;
  const { busySince, isCancelled, cancel } = answer;
  // The clock of the page moves on each second.
  void now.value;
  return (
    <div class="run-state">
      {busySince !== undefined && (
        <button type="button" class="button" onClick={cancel}>
          Cancel
        </button>
      )}
      <span role="status">{busySince === undefined ? isCancelled && 'Cancelled' : `${title}…`}</span>
      {busySince !== undefined && (
        <span class="muted">
          {Math.floor((performance.now() - busySince) / 1000)} s of at most {TIME_LIMITS[timeLimit] ?? `${timeLimit} s`}
        </span>
      )}
    </div>
  );
}
