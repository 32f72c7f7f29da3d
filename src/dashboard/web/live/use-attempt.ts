import { useState } from 'preact/hooks';
import { describeFailure } from './request-json.ts';

/** A request that a button starts: whether it runs, and why the last one failed, in sentences; empty if it did not. */
export interface Attempt {
  readonly isBusy: boolean;
  readonly problem: string;
  /** Runs an action, unless another one runs. Shows its error, and throws nothing. */
  attempt(action: () => void | Promise<void>): Promise<void>;
}

export function useAttempt(): Attempt {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  return {
    isBusy,
    problem,
    async attempt(action) {
      if (isBusy) return;
      setBusy(true);
      setProblem('');
      try {
        await action();
      } catch (error) {
        setProblem(describeFailure(error));
      }
      setBusy(false);
    },
  };
}
