/** Rows of a worksheet, without its header. */
export const MAX_ROWS = 1_048_575;

/** Characters of a cell, as UTF-16 code units. */
export const MAX_CELL_LENGTH = 32_767;

/** Digits of a number: a spreadsheet rounds further ones to zero. */
export const MAX_DIGITS = 15;
