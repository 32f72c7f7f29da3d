import {
  defaultRangeExtractor,
  observeWindowOffset,
  observeWindowRect,
  Virtualizer,
  windowScroll,
} from '@tanstack/virtual-core';
import type { RefObject } from 'preact';
import { useLayoutEffect, useReducer, useRef } from 'preact/hooks';

/** Browsers draw nothing below this height, in pixels; Firefox has the lowest limit. */
const MAX_HEIGHT = 15_000_000;
const OVERSCAN = 8;

/** The rows of a long list that are on the screen, while the window scrolls. */
export interface VirtualRows {
  /** The rows to draw, with their places below the top of the list in pixels. */
  readonly rows: readonly { readonly index: number; readonly start: number }[];
  /** The first and the last one near the screen, which `rows` may exceed. */
  readonly range: readonly [first: number, last: number];
  /** The height of all rows in pixels. */
  readonly height: number;
  /** The number of rows that the list can show. */
  readonly count: number;
  scrollToRow(index: number): void;
}

/** Rows of one height. `kept` are the indexes of rows that are drawn wherever they are: those that have or get the focus. */
export function useVirtualRows(
  element: RefObject<HTMLElement | null>,
  options: { readonly count: number; readonly rowHeight: number; readonly kept: readonly number[] },
): VirtualRows {
  const [, draw] = useReducer((n: number) => n + 1, 0);
  const count = Math.min(options.count, Math.floor(MAX_HEIGHT / options.rowHeight));
  const { rowHeight, kept } = options;
  const instance = useRef<Virtualizer<Window, HTMLElement>>(undefined);
  const margin = useRef(0);
  const range = useRef<VirtualRows['range']>([0, 0]);
  const settings = {
    count,
    overscan: OVERSCAN,
    estimateSize: () => rowHeight,
    scrollMargin: margin.current,
    getScrollElement: () => window,
    scrollToFn: windowScroll,
    observeElementRect: observeWindowRect,
    observeElementOffset: observeWindowOffset,
    rangeExtractor: (visible: Parameters<typeof defaultRangeExtractor>[0]) => {
      const indexes = defaultRangeExtractor(visible);
      range.current = [indexes[0] ?? 0, indexes.at(-1) ?? 0];
      const others = kept.filter((index) => index >= 0 && index < count);
      return [...new Set([...indexes, ...others])].toSorted((a, b) => a - b);
    },
    onChange: () => draw(undefined),
  };
  const virtual = (instance.current ??= new Virtualizer<Window, HTMLElement>({
    ...settings,
    initialRect: { width: innerWidth, height: innerHeight },
    // The list would scroll to its start when it is shown.
    initialOffset: () => scrollY,
  }));
  virtual.setOptions(settings);
  const lastHeight = useRef(rowHeight);
  if (lastHeight.current !== rowHeight) {
    lastHeight.current = rowHeight;
    virtual.measure();
  }
  useLayoutEffect(() => virtual._didMount(), [virtual]);
  useLayoutEffect(() => {
    virtual._willUpdate();
    const box = element.current;
    if (!box) return;
    const top = Math.round(box.getBoundingClientRect().top + scrollY);
    if (top === margin.current) return;
    margin.current = top;
    draw(undefined);
  });
  const rows = virtual.getVirtualItems().map(({ index, start }) => ({ index, start: start - margin.current }));
  return {
    rows,
    range: range.current,
    height: count * rowHeight,
    count,
    scrollToRow: (index) => virtual.scrollToIndex(index, { align: 'auto' }),
  };
}
