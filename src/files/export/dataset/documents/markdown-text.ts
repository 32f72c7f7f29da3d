import { toSingleLine } from '#base/text.ts';

/** A table in Markdown. Cells are one line; the characters that end a cell are escaped. */
export function formatRows(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A text of people as one line in which Markdown marks nothing up. */
export const escapeText = (text: string): string => toSingleLine(text).replaceAll(/[\\`*_[\]<>#|~]/g, '\\$&');
