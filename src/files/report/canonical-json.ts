import { createHash } from 'node:crypto';

/**
 * Returns a value as canonical JSON (RFC 8785): keys in order, no space, numbers as ECMAScript writes them. Equal data has
 * equal text, whatever program writes it. Integers of SQLite beyond 2^53 and lone surrogates have no such form: text, U+FFFD.
 */
export function formatCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(formatCanonicalJson).join(',')}]`;
  if (typeof value === 'object' && value !== null) {
    // The default order is that of UTF-16 units, as the RFC demands.
    const entries = Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, each]) => `${formatCanonicalJson(key)}:${formatCanonicalJson(each)}`).join(',')}}`;
  }
  if (typeof value === 'bigint') {
    return formatCanonicalJson(Number.isSafeInteger(Number(value)) ? Number(value) : String(value));
  }
  return JSON.stringify(typeof value === 'string' ? value.toWellFormed() : (value ?? null));
}

/** The SHA-256 of the canonical JSON of a value, in hexadecimal digits. */
export const computeDigest = (value: unknown): string =>
  createHash('sha256').update(formatCanonicalJson(value)).digest('hex');
