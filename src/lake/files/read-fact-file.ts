import { Zstd } from '@hpcc-js/wasm-zstd';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { COMMON_COLUMNS, type Fact, FACT_TABLES, type FactTableName } from '#store/outbox/fact-tables.ts';

/** Returns the facts of a Parquet file with their common columns, a row group at a time. */
export async function* readFactFile(
  content: Uint8Array,
  table: FactTableName,
): AsyncGenerator<readonly Fact[], void, undefined> {
  const columns = Object.keys({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  const zstd = await Zstd.load();
  const isWhole = content.byteLength === content.buffer.byteLength;
  const file = (isWhole ? content : content.slice()).buffer as ArrayBuffer;
  const metadata = parquetMetadata(file);
  const compressors = { ZSTD: (bytes: Uint8Array) => zstd.decompress(bytes) };
  let rowStart = 0;
  for (const { num_rows: rows } of metadata.row_groups) {
    const rowEnd = rowStart + Number(rows);
    const objects = await parquetReadObjects({ file, metadata, compressors, rowStart, rowEnd, utf8: false });
    yield objects.map((row) => columns.map((column) => toValue(row[column])));
    rowStart = rowEnd;
  }
}

/** Timestamps become milliseconds, and integers numbers. */
function toValue(value: unknown): Fact[number] {
  if (typeof value === 'bigint') return Number(value);
  return value instanceof Date ? value.getTime() : (value as Fact[number]);
}
