import { readStored, storeValue } from './browser-storage.ts';

/** The scroll positions of the entries of the history: a page gets its height only when its data has been read. */

const STORAGE_KEY = 'trawl-scroll-positions';
/** How long a page has for its height, and how long it has to keep it. Later changes do not move what somebody reads. */
const WAIT_MS = 10_000;
const SETTLE_MS = 1000;
/** What shows that somebody wants another position. */
const INPUTS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

/** By the index of the entry, in pixels. */
let positions: number[] = [];
let current = 0;
let restoring: AbortController | undefined;

/** The state of the history for the entry that is shown. */
export const readEntry = (): { readonly index: number } => ({ index: current });

/** Begins a new entry, after the one that is shown. Call it before the page changes. */
export function addEntry(): void {
  record();
  restoring?.abort();
  current += 1;
  positions.length = current;
}

/** Shows the entry of the address, as after Back. */
export function restoreEntry(): void {
  restoring?.abort();
  const index = (history.state as { readonly index?: number } | null)?.index;
  if (index === undefined) {
    // The browser made it for a link within the page, and scrolls itself.
    addEntry();
    history.replaceState(readEntry(), '');
    return;
  }
  current = index;
  scrollWhenPossible(positions[index] ?? 0);
}

export function startScrollPositions(): void {
  history.scrollRestoration = 'manual';
  positions = readStored('sessionStorage', STORAGE_KEY, positions);
  addEventListener('pagehide', () => {
    record();
    storeValue('sessionStorage', STORAGE_KEY, positions);
  });
  addEventListener('scroll', record, { passive: true });
  if (history.state === null) {
    current = positions.length;
    history.replaceState(readEntry(), '');
  } else restoreEntry();
}

/** While a position is restored, the present one is not that of the reader. */
function record(): void {
  if (!restoring) positions[current] = scrollY;
}

/** Scrolls as soon as the page is high enough, and until it keeps its height, unless somebody scrolls before. */
function scrollWhenPossible(top: number): void {
  const controller = new AbortController();
  const { signal } = controller;
  restoring = controller;
  const stop = (): void => controller.abort();
  let limit = setTimeout(stop, WAIT_MS);
  const isReached = (): boolean => Math.abs(scrollY - top) < 1;
  // That of a page that is not high enough yet is at its end.
  const isAtEnd = (): boolean => scrollY + innerHeight >= document.documentElement.scrollHeight - 1;
  const stopElsewhere = (): void => void (isReached() || isAtEnd() || stop());
  // The first call is that of the new page, before it is painted. A scroll event of before belongs to the old one.
  const observer = new ResizeObserver(() => {
    scrollTo(0, top);
    addEventListener('scroll', stopElsewhere, { signal, passive: true });
    if (!isReached()) return;
    clearTimeout(limit);
    limit = setTimeout(stop, SETTLE_MS);
  });
  observer.observe(document.body);
  signal.addEventListener('abort', () => {
    observer.disconnect();
    clearTimeout(limit);
    if (restoring === controller) restoring = undefined;
  });
  for (const input of INPUTS) addEventListener(input, stop, { signal, passive: true });
}
