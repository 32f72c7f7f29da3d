import { useEffect, useRef, useState } from 'preact/hooks';

/** Why the server gives no answer, and what to do. */
export interface AnswerProblem {
  readonly message: string;
  readonly hint: string | undefined;
}

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
    ask<T>(path, mine.signal).then(settle, (error: unknown) =>
      settle({ problem: { message: (error as Error).message, hint: undefined } }),
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

/** @throws Error if the server does not answer */
async function ask<T>(path: string, signal: AbortSignal): Promise<Pick<AnswerState<T>, 'data' | 'problem'>> {
  const response = await fetch(path, { headers: { accept: 'application/json' }, signal });
  const body = (await response.json()) as T & { readonly error?: string; readonly hint?: string | null };
  if (response.ok) return { data: body, problem: undefined };
  const message = body.error ?? `the server answered ${response.status}`;
  return { data: undefined, problem: { message, hint: body.hint ?? undefined } };
}
