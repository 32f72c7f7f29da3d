import { type Options, stringify } from 'csv-stringify/sync';
import { splitIntoBatches } from '../../batches.ts';
import type { Query, SqlValue } from './query.ts';
import { type Cell, formatTable } from './table.ts';

/** `table` is for people; the others are lossless, for programs. */
export type RowFormat = 'table' | 'csv' | 'json' | 'jsonl';

/**
 * Formats the rows of a query as text chunks. Rows are read as the chunks are consumed.
 * @param width the columns of the terminal, for a table.
 */
export const formatRows = (query: Query, as: RowFormat, width?: number): Iterable<string> => WRITERS[as](query, width);

const WRITERS: Readonly<Record<RowFormat, (query: Query, width?: number) => Iterable<string>>> = {
  table: ({ columns, rows }, width) =>
    formatTable(
      columns,
      map(rows, (row) => row.map(toCell)),
      { width },
    ),
  csv: writeCsv,
  json: writeJson,
  jsonl: ({ columns, rows }) => map(map(rows, toObject(columns)), (object) => `${object}\n`),
};

const toCell = (value: SqlValue): Cell => ({
  text: Buffer.isBuffer(value) ? `<${value.length} bytes>` : value === null ? '' : String(value),
  isNumber: typeof value === 'bigint' || typeof value === 'number',
});

const hex = (blob: Buffer): string => `x'${blob.toString('hex')}'`;

/** RFC 4180. Null is an empty field, an empty text a quoted empty field. Formula-like cells are unchanged. */
function* writeCsv({ columns, rows }: Query): Generator<string> {
  const lines = map(rows, (row) => row.map((value) => (Buffer.isBuffer(value) ? hex(value) : value)));
  yield stringify([[...columns]], CSV);
  for (const batch of splitIntoBatches(lines)) yield stringify(batch, CSV);
}

const CSV: Options = {
  cast: {
    string: (text) => (text === '' ? { value: text, quoted_empty: true } : text),
    bigint: String,
    number: String,
  },
};

function* writeJson({ columns, rows }: Query): Generator<string> {
  let separator = '[\n';
  for (const object of map(rows, toObject(columns))) {
    yield separator + object;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]\n' : '\n]\n';
}

/** Serializes a row as JSON. The text is concatenated, since columns may repeat a name or be called `__proto__`. */
function toObject(columns: readonly string[]): (row: readonly SqlValue[]) => string {
  const keys = unique(columns).map((name) => `${quote(name)}:`);
  return (row) => `{${row.map((value, i) => keys[i] + toJson(value)).join(',')}}`;
}

/** Integers beyond 2^53 and infinities become strings: JSON readers would round or refuse them. */
function toJson(value: SqlValue): string {
  if (value === null) return 'null';
  if (Buffer.isBuffer(value)) return quote(hex(value));
  if (typeof value === 'string') return quote(value);
  const isExact = typeof value === 'number' ? Number.isFinite(value) : Number.isSafeInteger(Number(value));
  return isExact ? String(value) : quote(String(value));
}

/** Also escapes DEL and the C1 controls, which a terminal might interpret. */
const quote = (text: string): string =>
  JSON.stringify(text).replace(
    /[\x7f-\x9f\u2028\u2029]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

/** The second `id` becomes `id_2`. */
function unique(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let free = name;
    for (let n = 2; taken.has(free); n++) free = `${name}_${n}`;
    taken.add(free);
    return free;
  });
}

function* map<A, B>(items: Iterable<A>, fn: (item: A) => B): Generator<B> {
  for (const item of items) yield fn(item);
}
