import { useEffect, useRef, useState } from 'preact/hooks';
import { useData } from '../live/use-data.ts';

/** A part of a list. */
export interface ListPart<R> {
  readonly rows: readonly R[];
  /** Where the next part begins; null after the last one. */
  readonly next: string | null;
}

/**
 * Reads a part of a list. Until another one is read, the previous one stays. While somebody uses the panel, no row moves: rows have
 * their present values, and `hasMoved` says that the order is another one.
 */
export function useSteadyList<R, D extends ListPart<R>>(
  path: string,
  query: string,
  panel: { readonly current: HTMLElement | null },
  keyOf: (row: R) => string | number,
) {
  const { data, problem, busySince, repeat } = useData<D>(`${path}?${query}`);
  const [shown, setShown] = useState<{ readonly query: string; readonly data: D }>();
  const isPresent = shown?.query === query;
  const formatOrder = ({ rows, next }: D): string => JSON.stringify([rows.map(keyOf), next]);
  const hasMoved = data !== undefined && isPresent && formatOrder(shown.data) !== formatOrder(data);
  useEffect(() => {
    if (data && busySince === undefined && !(hasMoved && isUsed(panel.current))) setShown({ query, data });
  }, [data, busySince]);
  const wasRequested = useRef(false);
  useEffect(() => {
    if (!wasRequested.current || !isPresent) return;
    wasRequested.current = false;
    panel.current?.focus();
  }, [shown]);
  /** The values of the present list, in the order of the one that is shown. */
  function keepOrder({ rows, next }: D, present: D): D {
    const known = new Map(present.rows.map((row) => [keyOf(row), row]));
    return { ...present, rows: rows.map((row) => known.get(keyOf(row)) ?? row), next };
  }
  return {
    shown: problem !== undefined && !isPresent ? undefined : hasMoved ? keepOrder(shown.data, data) : shown?.data,
    problem,
    isBusy: !isPresent,
    hasMoved,
    repeat,
    /** Shows the present order. */
    showMoved(): void {
      if (data) setShown({ query, data });
      panel.current?.focus();
    },
    /** Moves the focus to the panel when the next part is shown. */
    focusNext: (): void => void (wasRequested.current = true),
  };
}

const isUsed = (panel: HTMLElement | null): boolean =>
  panel !== null &&
  (panel.matches(':hover') || panel.contains(document.activeElement) || panel.getBoundingClientRect().top < 0);
