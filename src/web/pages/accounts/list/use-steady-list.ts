import { useEffect, useRef, useState } from 'preact/hooks';
import type { AccountListData } from '../../../../dashboard/api/accounts.ts';
import { useRead } from '../../../live/use-read.ts';

interface ShownList {
  readonly query: string;
  readonly data: AccountListData;
}

const formatOrder = ({ rows, next }: AccountListData): string => JSON.stringify([rows.map((row) => row.restId), next]);

/**
 * Reads the list of an address. Until another list is read, the previous one stays. While somebody uses the panel, no row moves:
 * rows have their present values, and `hasMoved` says that the order is another one.
 */
export function useSteadyList(query: string, panel: { readonly current: HTMLElement | null }) {
  const { data, problem } = useRead<AccountListData>(`/api/accounts${query === '' ? '' : `?${query}`}`);
  const [shown, setShown] = useState<ShownList>();
  const isPresent = shown?.query === query;
  const hasMoved = data !== undefined && isPresent && formatOrder(shown.data) !== formatOrder(data);
  useEffect(() => {
    if (data && !(hasMoved && isUsed(panel.current))) setShown({ query, data });
  }, [data]);
  const wasRequested = useRef(false);
  useEffect(() => {
    if (!wasRequested.current || !isPresent) return;
    wasRequested.current = false;
    panel.current?.focus();
  }, [shown]);
  return {
    shown: problem !== undefined && !isPresent ? undefined : hasMoved ? keepOrder(shown.data, data) : shown?.data,
    problem,
    isBusy: !isPresent,
    hasMoved,
    /** Shows the present order. */
    showMoved(): void {
      if (data) setShown({ query, data });
      panel.current?.focus();
    },
    /** Moves the focus to the panel when the next list is shown. */
    focusNext: (): void => void (wasRequested.current = true),
  };
}

/** The values of the present list, in the order of the one that is shown. */
function keepOrder({ rows, next }: AccountListData, present: AccountListData): AccountListData {
  const known = new Map(present.rows.map((row) => [row.restId, row]));
  return { ...present, rows: rows.map((row) => known.get(row.restId) ?? row), next };
}

const isUsed = (panel: HTMLElement | null): boolean =>
  panel !== null &&
  (panel.matches(':hover') || panel.contains(document.activeElement) || panel.getBoundingClientRect().top < 0);
