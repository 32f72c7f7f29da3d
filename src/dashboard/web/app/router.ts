import { signal } from '@preact/signals';

/** The address of the page that is shown: all that a shared link needs. */
export const address = signal(new URL(location.href));

/** Shows another page of the dashboard, as a link does. */
export function navigate(href: string, { isReplaced = false } = {}): void {
  const url = new URL(href, location.href);
  if (url.href === location.href) return;
  if (!isReplaced) addEntry();
  history[isReplaced ? 'replaceState' : 'pushState'](readEntry(), '', url);
  if (show()) scrollTo(0, 0);
}

/** Shows the page of the address. Returns whether it is another one. */
function show(): boolean {
  const { pathname } = address.peek();
  address.value = new URL(location.href);
  if (address.peek().pathname === pathname) return false;
  // A reader hears the new page, and continues at its start.
  document.getElementById('main')?.focus({ preventScroll: true });
  return true;
}

/** Follows links to pages without loading the document again. */
export function startRouter(): void {
  startScrollPositions();
  addEventListener('popstate', () => {
    show();
    restoreEntry();
  });
  addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (!link || event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    if (link.target !== '' || link.hasAttribute('download') || link.origin !== location.origin) return;
    if (link.hash !== '' || link.pathname.startsWith('/api/')) return;
    event.preventDefault();
    navigate(link.href);
  });
}

/** The parameters of the present address. One with an empty value is left out. */

type Parameters = Readonly<Record<string, string>>;

const toQuery = (parameters: Parameters): string =>
  new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== '')).toString();

/** The value of a parameter; empty if there is none. */
export const readParameter = (name: string): string => address.value.searchParams.get(name) ?? '';

/** The query string of some of the parameters, in one form. */
export const selectParameters = (names: readonly string[]): string =>
  toQuery(Object.fromEntries(names.map((name) => [name, readParameter(name)])));

/** The present address with other values. */
export function hrefOf(changes: Parameters): string {
  const { pathname, searchParams } = address.value;
  const query = toQuery({ ...Object.fromEntries(searchParams), ...changes });
  return query === '' ? pathname : `${pathname}?${query}`;
}

/** Shows the present address with other values. @param options `isReplaced`: the browser forgets the present one */
export const changeAddress = (changes: Parameters, options?: { readonly isReplaced?: boolean }): void =>
  navigate(hrefOf(changes), options);

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
const readEntry = (): { readonly index: number } => ({ index: current });

/** Begins a new entry, after the one that is shown. Call it before the page changes. */
function addEntry(): void {
  record();
  restoring?.abort();
  current += 1;
  positions.length = current;
}

/** Shows the entry of the address, as after Back. */
function restoreEntry(): void {
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

function startScrollPositions(): void {
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

/** Values as JSON in the storage of the browser. */

type StorageName = 'localStorage' | 'sessionStorage';

/** Returns a stored value; `initial` if there is none, if it is damaged, or if the browser blocks its storage. */
export function readStored<T>(name: StorageName, key: string, initial: T): T {
  try {
    return JSON.parse(window[name].getItem(key) ?? '') as T;
  } catch {
    return initial;
  }
}

/** Stores a value, unless the storage is full or blocked. */
export function storeValue(name: StorageName, key: string, value: unknown): void {
  try {
    window[name].setItem(key, JSON.stringify(value));
  } catch {
    // The page works with the value until it is loaded again.
  }
}
