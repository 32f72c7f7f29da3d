import type { TextRange } from '../../analysis/find/folded-text.ts';
import { cutExcerpt } from '../../analysis/search/make-excerpt.ts';
import type { Emphasis } from '../terminal/style.ts';

/**
 * Formats a text with its matches as a line for a terminal. White space becomes a space, control and bidirectional characters
 * become visible. A text of more than `maxWidth` columns is cut to the part around its first match.
 */
export function formatExcerpt(
  text: string,
  matches: readonly TextRange[],
  { open, close }: Emphasis,
  maxWidth: number,
): string {
  let line = '';
  let isOpen = false;
  for (const { text: character, isMatch } of cutExcerpt(text, matches, maxWidth)) {
    if (isMatch !== isOpen) line += isMatch ? open : close;
    isOpen = isMatch;
    line += character;
  }
  return (isOpen ? line + close : line).trimEnd();
}
