import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { moveRow } from './move-row.ts';
import { useVirtualRows, type VirtualRows } from './use-virtual-rows.ts';

/** The rows of a long list that are on the screen, and the one that has the focus. */
interface FocusedRows extends VirtualRows {
  /** The index of the row that has the focus, or gets it when it is drawn; -1 if none does. */
  readonly focused: number;
  /** Moves the focus to another row: for the element around the rows. */
  onKeyDown(event: KeyboardEvent): void;
  /** The attributes of a row that tell where the focus is. */
  rowAttributes(index: number): RowAttributes;
}

interface RowAttributes {
  readonly 'data-index': number;
  onFocusIn(): void;
  onFocusOut(event: FocusEvent): void;
}

/** Rows of one height, whose first links or buttons get the focus by the keyboard. `element` holds the rows. */
export function useFocusedRows(
  element: RefObject<HTMLElement | null>,
  { count: total, rowHeight }: { readonly count: number; readonly rowHeight: number },
): FocusedRows {
  const [focused, setFocused] = useState(-1);
  // While the row that gets the focus is read, the one that has it stays: it receives the keys that are pressed meanwhile.
  const holder = useRef(-1);
  const wanted = useRef(-1);
  const virtual = useVirtualRows(element, { count: total, rowHeight, kept: [focused, holder.current] });
  const { range, count, scrollToRow } = virtual;

  // A row gets the focus when it has been drawn.
  useEffect(() => {
    if (wanted.current < 0) return;
    const control = element.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] :is(a, button)`);
    if (!control) return;
    wanted.current = -1;
    control.focus({ preventScroll: true });
  });

  return {
    ...virtual,
    focused,
    onKeyDown(event) {
      // A key may follow the focus before the rows are drawn with it: `focused` would be that of the last time.
      const from = wanted.current < 0 ? holder.current : wanted.current;
      const index = moveRow(event, from, { page: range[1] - range[0], count });
      if (index === undefined) return;
      event.preventDefault();
      wanted.current = index;
      setFocused(index);
      scrollToRow(index);
    },
    rowAttributes: (index) => ({
      'data-index': index,
      onFocusIn() {
        [holder.current, wanted.current] = [index, -1];
        setFocused(index);
      },
      onFocusOut({ relatedTarget }) {
        holder.current = -1;
        if (relatedTarget) wanted.current = -1;
        if (wanted.current < 0) setFocused(-1);
      },
    }),
  };
}
