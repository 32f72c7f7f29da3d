import { useEffect, useRef, useState } from 'preact/hooks';
import { overview } from './live-updates.ts';

/** The state of a read of the server. */
export interface ReadState<T> {
  /** The latest result; undefined before the first one. */
  readonly data: T | undefined;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly problem: string | undefined;
}

/** Reads `/api/…` as JSON. @throws Error with the message of the server */
export async function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: { accept: 'application/json' }, signal: signal ?? null });
  const body = (await response.json()) as T & { readonly error?: string };
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

/**
 * Reads data for a page, and reads it again when the store changes: never twice at once, and a result of another path is never
 * shown. What is read when the page closes is given up.
 */
export function useRead<T>(path: string): ReadState<T> {
  const [state, setState] = useState<ReadState<T> & { readonly path: string }>();
  const running = useRef<{ readonly path: string; readonly aborted: AbortController }>(undefined);
  const at = overview.value?.at;
  useEffect(() => {
    if (running.current?.path === path) return;
    running.current?.aborted.abort();
    const mine = { path, aborted: new AbortController() };
    running.current = mine;
    const settle = (result: Partial<ReadState<T>>): void => {
      if (running.current !== mine) return;
      running.current = undefined;
      // After a failed attempt, the page keeps what it shows: somebody reads it, and may have a dialog open.
      setState((before) => ({
        data: before?.path === path ? before.data : undefined,
        problem: undefined,
        path,
        ...result,
      }));
    };
    fetchJson<T>(path, mine.aborted.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ problem: (error as Error).message }),
    );
  }, [path, at]);
  useEffect(() => () => running.current?.aborted.abort(), []);
  return state?.path === path ? state : { data: undefined, problem: undefined };
}
