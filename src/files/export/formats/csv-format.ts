import { type Options, stringify } from 'csv-stringify/sync';
import { splitIntoBatches } from '#base/batches.ts';
import type { ResultSet } from '#files/export/result-set.ts';
import { convertRows, toHex } from './format-values.ts';

/** RFC 4180. Null is an empty field, an empty text a quoted empty field. Formula-like cells are unchanged. */
export function* formatCsv(result: ResultSet): Generator<string> {
  yield stringify([result.columns.map(({ name }) => name)], CSV);
  for (const batch of splitIntoBatches(convertRows(result))) yield stringify(batch, CSV);
}

const CSV: Options = {
  cast: {
    string: (text) => (text === '' ? { value: text, quoted_empty: true } : text),
    bigint: String,
    number: String,
    boolean: String,
    // The only objects are blobs.
    object: (blob) => toHex(blob as unknown as Buffer),
  },
};
