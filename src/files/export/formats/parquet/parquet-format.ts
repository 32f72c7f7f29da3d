import { toUniqueNames } from '#files/export/formats/format-values.ts';
import type { FormatOptions, Sink } from '#files/export/formats/output-format.ts';
import type { ResultSet } from '#files/export/result-set.ts';
import { resolveColumnTypes, type Encoded, type Encoding, ENCODINGS, createParquetWriter } from './parquet-writer.ts';

/** A row group is in memory while it is written (decision 47): its rows, and the length of its texts and blobs. */
const GROUP_ROWS = 10_000;
const GROUP_BYTES = 16 * 1024 * 1024;

/** The values of a row group, by column. */
type RowGroup = (Encoded | undefined)[][];

/** Writes Parquet with typed, nullable columns, compressed by zstd. Times are TIMESTAMP in UTC. */
export async function writeParquet(result: ResultSet, sink: Sink, options: FormatOptions = {}): Promise<number> {
  const { onRows, signal, metadata = {} } = options;
  const { types, rows } = await resolveColumnTypes(result, signal);
  const encodings = types.map((type) => ENCODINGS[type]);
  const names = toUniqueNames(result.columns);
  const columns = encodings.map((encoding, i) => ({ name: names[i]!, encoding }));
  const writer = await createParquetWriter(sink, columns, metadata);
  let count = 0;
  for (const group of splitIntoRowGroups(encodings, rows)) {
    const size = group[0]!.length;
    const columnData = group.map((data, i) => ({ name: names[i]!, data, statistics: types[i] !== 'blob' }));
    await writer.write({ columnData, rowGroupSize: size });
    count += size;
    onRows?.(count);
    signal?.throwIfAborted();
  }
  await writer.finish();
  return count;
}

function* splitIntoRowGroups(encodings: readonly Encoding[], rows: ResultSet['rows']): Generator<RowGroup> {
  const createGroup = (): RowGroup => encodings.map(() => []);
  let group = createGroup();
  let bytes = 0;
  for (const row of rows) {
    for (let i = 0; i < group.length; i += 1) {
      const value = row[i]!;
      const encoded = value === null ? undefined : encodings[i]!.encode(value);
      if (typeof encoded === 'string' || encoded instanceof Uint8Array) bytes += encoded.length;
      group[i]!.push(encoded);
    }
    if (group[0]!.length < GROUP_ROWS && bytes < GROUP_BYTES) continue;
    yield group;
    group = createGroup();
    bytes = 0;
  }
  if (group[0]!.length > 0) yield group;
}
