import type { ResultColumn, ResultSet } from '#files/export/result-set.ts';
import { convertRows, toHex, toUniqueNames, type Value } from './format-values.ts';

/** An array of objects, a line each. */
export function* formatJson(result: ResultSet): Generator<string> {
  const format = createObjectFormatter(result.columns);
  let separator = '[\n';
  for (const row of convertRows(result)) {
    yield separator + format(row);
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** An object per line, as jsonl and ndjson have it. */
export function* formatJsonLines(result: ResultSet): Generator<string> {
  const format = createObjectFormatter(result.columns);
  for (const row of convertRows(result)) yield `${format(row)}\n`;
}

/** The text is concatenated, since columns may repeat a name or be called `__proto__`. */
function createObjectFormatter(columns: readonly ResultColumn[]): (row: readonly Value[]) => string {
  const keys = toUniqueNames(columns).map((name) => `${quote(name)}:`);
  return (row) => `{${row.map((value, i) => keys[i] + toJson(value)).join(',')}}`;
}

/** Integers beyond 2^53 and infinities become strings: JSON readers would round or refuse them. */
function toJson(value: Value): string {
  if (value === null) return 'null';
  if (Buffer.isBuffer(value)) return quote(toHex(value));
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'boolean') return String(value);
  const isExact = typeof value === 'number' ? Number.isFinite(value) : Number.isSafeInteger(Number(value));
  return isExact ? String(value) : quote(String(value));
}

/** Also escapes DEL and the C1 controls, which a terminal might interpret. */
const quote = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
