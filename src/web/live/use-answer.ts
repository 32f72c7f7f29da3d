import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnswerProblem, requestJson, readProblem } from './request-json.ts';

/** The state of a question to the server, which is asked once. */
export interface AnswerState<T> {
  /** The answer to this path, or while it is awaited, to the one before. */
  readonly data: T | undefined;
  readonly problem: AnswerProblem | undefined;
  /** Since when an answer is awaited, in milliseconds of the clock of the page. */
  readonly busySince: number | undefined;
  readonly isCancelled: boolean;
}

const NOTHING = { data: undefined, problem: undefined, busySince: undefined, isCancelled: false } as const;

/**
 * Asks the server for `/api/…` once per path, unlike `useRead`: the answer stays until somebody asks again. What is asked when
 * the page closes is cancelled. @param path undefined asks nothing
 */
export function useAnswer<T>(path: string | undefined) {
  const [state, setState] = useState<AnswerState<T>>(NOTHING);
  const [turn, setTurn] = useState(0);
  const aborted = useRef<AbortController>(undefined);

  useEffect(() => {
    if (path === undefined) {
      setState(NOTHING);
      return undefined;
    }
    const mine = new AbortController();
    aborted.current = mine;
    setState(({ data }) => ({ ...NOTHING, data, busySince: performance.now() }));
    const settle = (result: Partial<AnswerState<T>>): void => {
      if (!mine.signal.aborted) setState({ ...NOTHING, ...result });
    };
    requestJson<T>(path, mine).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ problem: readProblem(error) }),
    );
    return () => mine.abort();
  }, [path, turn]);

  return {
    ...state,
    repeat: () => setTurn((before) => before + 1),
    cancel: () => {
      aborted.current?.abort();
      setState({ ...NOTHING, isCancelled: true });
    },
  };
}
