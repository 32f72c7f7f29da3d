import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync, inflateSync } from 'node:zlib';
import { openConnection } from '#store/sqlite/driver.ts';

/**
 * Finds texts in all that a store left on the disk, without a module of an erasure: in the bytes of all files of its
 * folder, in every decompressed body, and in every value of every table, since a value may continue on another page of the
 * file. Upper and lower case are the same.
 */
export function scanFolder(db: string, texts: readonly string[]): string[] {
  const wanted = [...new Set(texts)].map((text) => ({ text, bytes: fold(Buffer.from(text)) }));
  const found: string[] = [];
  const look = (place: string, bytes: Buffer): void => {
    const folded = fold(bytes);
    for (const { text, bytes: each } of wanted) if (folded.includes(each)) found.push(`${place}: ${text}`);
  };
  for (const name of readdirSync(dirname(db))) look(name, readFileSync(join(dirname(db), name)));
  // The values of a column together: one search through many bytes is faster than many through few.
  const columns = new Map<string, Buffer[]>();
  for (const { place, value } of readValues(db)) {
    if (!columns.has(place)) columns.set(place, []);
    columns.get(place)!.push(value, SEPARATOR);
  }
  for (const [place, values] of columns) look(place, Buffer.concat(values));
  return found;
}

/** Lower case, for the letters of ASCII. */
const fold = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes.toString('latin1').replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
    'latin1',
  );

const SEPARATOR = Buffer.of(0);

const DECOMPRESS: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  deflate: inflateSync,
  gzip: gunzipSync,
};

/** Every column of every table as text, and every body decompressed. */
export function* readValues(db: string): Generator<{ readonly place: string; readonly value: Buffer }, void> {
  const client = openConnection(db, { readonly: true });
  try {
    const tables = client
      .prepare<[], string>("select name from pragma_table_list where schema = 'main' and type in ('table', 'shadow')")
      .pluck()
      .all();
    for (const table of tables) {
      for (const row of client.prepare<[], Record<string, unknown>>(`select * from "${table}"`).iterate()) {
        for (const [column, value] of Object.entries(row)) {
          if (typeof value === 'string') yield { place: `${table}.${column}`, value: Buffer.from(value) };
          if (!Buffer.isBuffer(value)) continue;
          const isBody = table === 'raw_pages' && column === 'body';
          const bytes = isBody ? DECOMPRESS[row['encoding'] as string]!(value) : value;
          // Bodies may escape characters.
          yield {
            place: `${table}.${column}`,
            value: isBody ? Buffer.from(JSON.stringify(JSON.parse(bytes.toString()))) : bytes,
          };
        }
      }
    }
  } finally {
    client.close();
  }
}
