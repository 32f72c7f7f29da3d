import { useEffect, useState } from 'preact/hooks';
import { overview } from './live-updates.ts';

/** The state of a read of the server. */
export interface ReadState<T> {
  /** The latest result; undefined before the first one. */
  readonly data: T | undefined;
  /** Why the last attempt failed; undefined if it succeeded. */
  readonly problem: string | undefined;
}

/** Reads `/api/…` as JSON. @throws Error with the message of the server */
async function fetchJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  const response = await fetch(path, { headers: { accept: 'application/json' }, signal: signal ?? null });
  const body = (await response.json()) as T & { readonly error?: string };
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

/**
 * Reads data for a page, and reads it again when the store changes: at most once at a time. A result of another path is never
 * shown.
 */
export function useRead<T>(path: string): ReadState<T> {
  const [state, setState] = useState<ReadState<T> & { readonly path: string }>();
  const at = overview.value?.at;
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    if (isBusy && state?.path === path) return undefined;
    const aborted = new AbortController();
    setBusy(true);
    fetchJson<T>(path, aborted.signal)
      .then(
        (data) => setState({ path, data, problem: undefined }),
        (error: unknown) => {
          if (!aborted.signal.aborted) setState({ path, data: undefined, problem: (error as Error).message });
        },
      )
      .finally(() => setBusy(false));
    return undefined;
  }, [path, at]);
  return state?.path === path ? state : { data: undefined, problem: undefined };
}
