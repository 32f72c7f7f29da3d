import { toText, type Value } from '../format-values.ts';
import { MAX_DIGITS } from './xlsx-limits.ts';

/** The styles of cells, as indexes of `cellXfs` in styles.xml. */
export const STYLES = { text: 1, header: 2 } as const;

const MAX_INTEGER = 10n ** BigInt(MAX_DIGITS);

/**
 * Returns a cell of a worksheet; null is no cell. Numbers that a spreadsheet would round are text, such as an integer of
 * more than 15 digits. Text is never a formula, not even after an edit (`quotePrefix`).
 */
export function formatCell(reference: string, value: Value): string {
  if (value === null) return '';
  if (typeof value === 'boolean') return `<c r="${reference}" t="b"><v>${Number(value)}</v></c>`;
  if (isExactNumber(value)) return `<c r="${reference}"><v>${value}</v></c>`;
  return formatTextCell(reference, toText(value), STYLES.text);
}

export function formatTextCell(reference: string, text: string, style: number): string {
  const space = /^\s|\s$|[\t\n\r]| {2}/.test(text) ? ' xml:space="preserve"' : '';
  return `<c r="${reference}" s="${style}" t="inlineStr"><is><t${space}>${escapeText(text)}</t></is></c>`;
}

const isExactNumber = (value: Value): value is number | bigint =>
  typeof value === 'number'
    ? Number.isFinite(value)
    : typeof value === 'bigint' && value < MAX_INTEGER && value > -MAX_INTEGER;

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' };

/** Characters that XML 1.0 cannot contain, and texts that look like the escapes of such characters. */
// oxlint-disable-next-line no-control-regex -- these are the characters to escape
const SPECIAL = /[&<>\x00-\x08\x0b-\x1f\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)/g;

/**
 * Escapes text as ST_Xstring of ECMA-376 (part 1, 22.9.2.19): a control character is `_xHHHH_`, which spreadsheets read as
 * the character. Lone surrogates are U+FFFD.
 */
const escapeText = (text: string): string => text.toWellFormed().replace(SPECIAL, escapeCharacter);

function escapeCharacter(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return ENTITIES[character] ?? `_x${code}_`;
}
