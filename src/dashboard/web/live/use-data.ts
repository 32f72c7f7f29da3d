import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { overview } from './live-updates.ts';
import { type AnswerProblem, readProblem, requestJson } from './request-json.ts';

/** The state of a read of the server. */
export interface DataState<T> {
  /** The latest result; while another path is read, that of the path before. */
  readonly data?: T | undefined;
  /** Why the last attempt failed. */
  readonly problem?: AnswerProblem | undefined;
  /** Since when the result of another path or of a repetition is awaited, in milliseconds of the clock of the page. */
  readonly busySince?: number | undefined;
  readonly isCancelled?: boolean | undefined;
}

export interface DataRead<T> extends DataState<T> {
  repeat(): void;
  cancel(): void;
}

/** The rest after a read, in durations of the read. */
const REST = 4;

/**
 * Reads `/api/…`: once for each path, and with `isLive` again when the store changes. It never reads twice at once, never shows
 * the result of an earlier read after a later one, and gives up a read when the page closes. A slow read has a rest, so that an
 * open page takes at most a fifth of the time of a reader. @param path undefined reads nothing
 */
export function useData<T>(path: string | undefined, isLive = true): DataRead<T> {
  const [state, setState] = useState<DataState<T>>(path === undefined ? {} : { busySince: performance.now() });
  const running = useRef<AbortController>(undefined);
  const restUntil = useRef(0);
  const abort = (): void => {
    running.current?.abort();
    running.current = undefined;
  };

  async function read(asked: string, isUpdate: boolean): Promise<void> {
    const mine = new AbortController();
    running.current = mine;
    const busySince = performance.now();
    if (!isUpdate) setState(({ data }) => ({ data, busySince }));
    const result = await requestJson<T>(asked, mine).then(
      (data): DataState<T> => ({ data }),
      (error: unknown) => ({ problem: readProblem(error) }),
    );
    if (running.current !== mine) return;
    running.current = undefined;
    const endedAt = performance.now();
    restUntil.current = endedAt + REST * (endedAt - busySince);
    // After a failed update, the page keeps what it shows: somebody reads it, and may have a dialog open.
    setState(({ data }) => (isUpdate ? { data, ...result } : result));
  }

  const start = (): void => {
    abort();
    if (path === undefined) setState({});
    else void read(path, false);
  };
  useLayoutEffect(start, [path]);
  useEffect(() => abort, []);
  const at = isLive ? overview.value?.at : undefined;
  useEffect(() => {
    // The server sends an update every few seconds, so that a change during the rest is read after it.
    const isDue = at !== undefined && !running.current && performance.now() >= restUntil.current;
    if (isDue && path !== undefined) void read(path, true);
  }, [at]);

  return {
    ...state,
    repeat: start,
    cancel: () => {
      abort();
      setState({ isCancelled: true });
    },
  };
}
