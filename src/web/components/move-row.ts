/** Where a key moves the focus: from an index, with a number of rows on the screen, in a list of so many. */
const MOVES: Readonly<Record<string, (index: number, page: number, count: number) => number>> = {
  ArrowDown: (index) => index + 1,
  ArrowUp: (index) => index - 1,
  PageDown: (index, page) => index + page,
  PageUp: (index, page) => index - page,
  Home: () => 0,
  End: (_, __, count) => count - 1,
};

/** Returns the row that a pressed key moves the focus to; undefined for another key, or if no row has the focus (-1). */
export function moveRow(
  { key, altKey, ctrlKey, metaKey }: KeyboardEvent,
  focused: number,
  { page, count }: { readonly page: number; readonly count: number },
): number | undefined {
  const move = MOVES[key];
  if (!move || focused < 0 || altKey || ctrlKey || metaKey) return undefined;
  return Math.max(0, Math.min(count - 1, move(focused, Math.max(1, page), count)));
}
