import { useEffect, useRef, useState } from 'preact/hooks';
import { overview } from './live-updates.ts';
import { type AnswerProblem, requestJson, readProblem } from './request-json.ts';

/** The state of a read of the server. */
export interface ReadState<T> {
  /** The latest result; undefined before the first one. */
  readonly data: T | undefined;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly problem: AnswerProblem | undefined;
}

/** The rest after a read, in durations of the read. */
const REST = 4;

/**
 * Reads data for a page, and reads it again when the store changes: never twice at once, and a result of another path is never
 * shown. A slow read has a rest, so that an open page takes at most a fifth of the time of a reader. What is read when the page
 * closes is given up. @param leastRestMs at least so long after a read, the next one begins
 */
export function useRead<T>(path: string, leastRestMs = 0): ReadState<T> {
  const [state, setState] = useState<ReadState<T> & { readonly path: string }>();
  const running = useRef<{ readonly path: string; readonly aborted: AbortController }>(undefined);
  const rest = useRef({ path: '', until: 0 });
  const at = overview.value?.at;
  useEffect(() => {
    if (running.current?.path === path) return;
    // The server sends an update every few seconds, so that a change during the rest is read after it.
    if (rest.current.path === path && performance.now() < rest.current.until) return;
    running.current?.aborted.abort();
    const mine = { path, aborted: new AbortController() };
    running.current = mine;
    const begunAt = performance.now();
    const settle = (result: Partial<ReadState<T>>): void => {
      if (running.current !== mine) return;
      running.current = undefined;
      const endedAt = performance.now();
      rest.current = { path, until: endedAt + Math.max(leastRestMs, REST * (endedAt - begunAt)) };
      // After a failed attempt, the page keeps what it shows: somebody reads it, and may have a dialog open.
      setState((before) => ({
        data: before?.path === path ? before.data : undefined,
        problem: undefined,
        path,
        ...result,
      }));
    };
    requestJson<T>(path, mine.aborted).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ problem: readProblem(error) }),
    );
  }, [path, at]);
  useEffect(() => () => running.current?.aborted.abort(), []);
  return state?.path === path ? state : { data: undefined, problem: undefined };
}
