import type * as StringWidth from 'string-width';

/** Characters of one column each, alone or together: ASCII, Latin, Greek, Cyrillic, punctuation and lines of tables. */
const NARROW = /^[ -~¡-¬®-ʯΑ-ωА-я–—‘’“”•…─-▟]*$/;

/** Whether all characters of a text are printable and one column wide. */
export const isNarrow = (text: string): boolean => NARROW.test(text);

/** Returns the columns that a text takes on a terminal. */
export const measureWidth = (text: string): number => (isNarrow(text) ? text.length : measureWide(text));

/**
 * Measures any text. The package is loaded at its first use, since it compiles expressions for all emoji, which takes as
 * long as the rest of a short command.
 */
const measureWide = (text: string): number => (require('string-width') as typeof StringWidth).default(text);
