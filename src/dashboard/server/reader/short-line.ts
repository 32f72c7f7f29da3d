import { toLine } from '#analysis/sql/printable-text.ts';

/** More than a page shows, in columns. */
const MAX_WIDTH = 300;

/**
 * Returns a text of the service or of a user for a page: one line of limited length, with control and bidirectional
 * characters replaced, so that it cannot change how the texts around it read.
 */
export const toShortLine = (text: string): string => toLine(text, MAX_WIDTH);
