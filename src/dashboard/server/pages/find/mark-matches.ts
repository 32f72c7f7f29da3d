import type { TextRange } from '../../../../analysis/find/folded-text.ts';
import { cutExcerpt } from '../../../../analysis/search/make-excerpt.ts';
import type { MarkedText } from '../../api/find.ts';

/**
 * Splits a text into parts that match and parts that do not, at most so many columns around the first match. It is one line, with
 * control and bidirectional characters replaced.
 */
export function markMatches(text: string | null, matches: readonly TextRange[], maxWidth: number): MarkedText {
  const parts: { text: string; isMatch: boolean }[] = [];
  for (const { text: character, isMatch } of cutExcerpt(text ?? '', matches, maxWidth)) {
    const last = parts.at(-1);
    if (last?.isMatch === isMatch) last.text += character;
    else parts.push({ text: character, isMatch });
  }
  return parts;
}
