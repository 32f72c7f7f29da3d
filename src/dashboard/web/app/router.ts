import { signal } from '@preact/signals';
import { addEntry, readEntry, restoreEntry, startScrollPositions } from './scroll-positions.ts';

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
