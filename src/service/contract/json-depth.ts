const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = { bracket: 0x5b, brace: 0x7b };
const CLOSE = { bracket: 0x5d, brace: 0x7d };

/**
 * Returns whether JSON text is nested deeper than `maxDepth`, in one scan that skips strings. It protects JSON.parse,
 * which takes seconds for millions of levels in a long text.
 */
export function isTextDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i);
      if (i === -1) return false; // unterminated string: JSON.parse rejects it
    } else if (code === OPEN.brace || code === OPEN.bracket) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE.brace || code === CLOSE.bracket) depth -= 1;
  }
  return false;
}

/** The same for a parsed value, at a tenth of the cost. */
export const isValueDeeperThan = (value: unknown, maxDepth: number): boolean =>
  isContainer(value) && isNestedDeeper(value, maxDepth);

/** Primitive values are skipped before the call. */
function isNestedDeeper(container: object, maxDepth: number): boolean {
  if (maxDepth <= 0) return true;
  if (Array.isArray(container)) {
    for (const item of container as unknown[]) if (isContainer(item) && isNestedDeeper(item, maxDepth - 1)) return true;
    return false;
  }
  for (const key in container) {
    const value = (container as Record<string, unknown>)[key];
    if (isContainer(value) && isNestedDeeper(value, maxDepth - 1)) return true;
  }
  return false;
}

const isContainer = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Returns the index of the quote that ends the string at `from`; -1 if there is none. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) break; // an even number of backslashes does not escape the quote
    end = text.indexOf('"', end + 1);
  }
  return end;
}
