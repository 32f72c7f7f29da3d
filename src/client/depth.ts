const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN = { bracket: 0x5b, brace: 0x7b };
const CLOSE = { bracket: 0x5d, brace: 0x7d };

/**
 * Whether JSON text nests deeper than `most`: one scan that skips strings. It is for texts so long that JSON.parse
 * itself must not see them before: it takes nesting of millions, and seconds for it.
 */
export function isTextDeeperThan(text: string, maxDepth: number): boolean {
  let depth = 0;
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) {
      i = stringEnd(text, i);
      if (i === -1) return false; // an open string: JSON.parse will refuse it
    } else if (code === OPEN.brace || code === OPEN.bracket) {
      depth += 1;
      if (depth > maxDepth) return true;
    } else if (code === CLOSE.brace || code === CLOSE.bracket) depth -= 1;
  }
  return false;
}

/** The same of what JSON.parse made of a text, at a tenth of the scan's cost. */
export const isValueDeeperThan = (value: unknown, maxDepth: number): boolean =>
  isContainer(value) && isNestedDeeper(value, maxDepth);

/** Primitive values, most of a page, are skipped before the call. */
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

/** The index of the quote that ends the string begun at `from`; -1 if there is none. */
function stringEnd(text: string, from: number): number {
  let end = text.indexOf('"', from + 1);
  while (end !== -1 && text.charCodeAt(end - 1) === BACKSLASH) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) break; // an even run of backslashes escapes itself, not the quote
    end = text.indexOf('"', end + 1);
  }
  return end;
}
