/** The parts of a page that may get the focus. */
const PARTS = 'section, main';

/**
 * Keeps the place of a keyboard when an update removes the element with the focus: the nearest part of the page around it that
 * is left gets the focus, so that Tab goes on from there and a screen reader says where it is.
 */
export function startFocusKeeper(): void {
  let focused: Element | undefined;
  let parts: HTMLElement[] = [];
  document.addEventListener('focusin', ({ target }) => {
    focused = target as Element;
    parts = [];
    for (let part = focused.closest<HTMLElement>(PARTS); part; part = part.parentElement?.closest(PARTS) ?? null)
      parts.push(part);
  });
  const observer = new MutationObserver(() => {
    if (document.activeElement !== document.body || !focused || focused.isConnected) return;
    focused = undefined;
    const part = parts.find(({ isConnected }) => isConnected);
    if (!part) return;
    if (!part.hasAttribute('tabindex')) part.tabIndex = -1;
    part.focus({ preventScroll: true });
  });
  observer.observe(document.body, { childList: true, subtree: true });
}
