import zlib from 'node:zlib';
import { Zstd } from '@hpcc-js/wasm-zstd';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { SqlValue } from '#analysis/sql/sql-query.ts';
import { TrawlError } from '#base/errors.ts';
import { toText } from '#files/export/formats/format-values.ts';
import type { Sink } from '#files/export/formats/output-format.ts';
import type { ColumnType, ResultSet } from '#files/export/result-set.ts';
import { scanRows } from '#files/export/scan-rows.ts';

interface ParquetColumn {
  readonly name: string;
  readonly encoding: Encoding;
}

/** Creates a writer of nullable columns, compressed by zstd. Its buffer is emptied into the sink after each row group. */
export async function createParquetWriter(
  sink: Sink,
  columns: readonly ParquetColumn[],
  metadata: Readonly<Record<string, string>>,
): Promise<ParquetWriter> {
  const buffer = new ByteWriter();
  const flush = async (): Promise<void> => {
    await sink.write(buffer.getBytes());
    buffer.index = 0;
  };
  const elements = columns.map(({ name, encoding: { element } }) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...element,
  }));
  return new ParquetWriter({
    writer: Object.assign(buffer, { flush, finish: flush }),
    schema: [{ name: 'schema', num_children: elements.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: await loadZstd() },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
}

/** A value as hyparquet-writer takes it. */
export type Encoded = Uint8Array | string | bigint | number | boolean;

/** How a column is stored. All columns are nullable. */
export interface Encoding {
  readonly element: Omit<SchemaElement, 'name'>;
  encode(value: Present): Encoded;
}

type Present = NonNullable<SqlValue>;

function toInteger(value: Present): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  throw createMismatch('integer', value);
}

function toReal(value: Present): number {
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value);
  throw createMismatch('real', value);
}

/** SQLite does not enforce the declared type of a column. */
const createMismatch = (type: ExactType, value: Present): TrawlError =>
  new TrawlError(`a column of type ${type} contains ${JSON.stringify(toText(value).slice(0, 100))}`, {
    hint: 'csv, json, jsonl and xlsx hold values of any type.',
  });

export const ENCODINGS: Readonly<Record<ExactType, Encoding>> = {
  text: {
    element: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
    encode: toText,
  },
  integer: { element: { type: 'INT64' }, encode: toInteger },
  real: { element: { type: 'DOUBLE' }, encode: toReal },
  boolean: { element: { type: 'BOOLEAN' }, encode: (value) => Number(value) !== 0 },
  timestamp: {
    element: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: {
        type: 'TIMESTAMP',
        isAdjustedToUTC: true,
        unit: 'MILLIS',
      },
    },
    encode: toInteger,
  },
  blob: {
    element: { type: 'BYTE_ARRAY' },
    encode: (value) => (Buffer.isBuffer(value) ? value : Buffer.from(toText(value))),
  },
};

/** The type of a column whose values have one type. */
type ExactType = Exclude<ColumnType, 'any'>;

/** Kinds of values, as bits: a column is the sum of those that it contains. */
const INTEGER = 1;
/** An integer beyond 2^53, which a real number would round. */
const LONG_INTEGER = 2;
const REAL = 4;
const TEXT = 8;
const BLOB = 16;

const MAX_SAFE_INTEGER = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Determines the types of columns of type `any` by reading all rows in advance. Integers and reals are `real` if no integer
 * would lose a digit. All other mixed columns are `text`.
 */
export async function resolveColumnTypes(
  { columns, rows }: ResultSet,
  signal?: AbortSignal,
): Promise<{ types: ExactType[]; rows: ResultSet['rows'] }> {
  const kinds = columns.map(() => 0);
  const open = columns.flatMap(({ type }, i) => (type === 'any' ? [i] : []));
  const visit = (row: readonly SqlValue[]): void => {
    for (const i of open) kinds[i]! |= kindOf(row[i]!);
  };
  return {
    rows: open.length === 0 ? rows : await scanRows(rows, visit, signal),
    types: columns.map(({ type }, i) => (type === 'any' ? typeOf(kinds[i]!) : type)),
  };
}

function kindOf(value: SqlValue): number {
  if (value === null) return 0;
  if (typeof value === 'string') return TEXT;
  if (typeof value === 'number') return REAL;
  if (typeof value !== 'bigint') return BLOB;
  return value > MAX_SAFE_INTEGER || value < -MAX_SAFE_INTEGER ? LONG_INTEGER : INTEGER;
}

function typeOf(kinds: number): ExactType {
  const consistsOf = (some: number): boolean => kinds !== 0 && (kinds & ~some) === 0;
  if (consistsOf(INTEGER | LONG_INTEGER)) return 'integer';
  if (consistsOf(INTEGER | REAL)) return 'real';
  return consistsOf(BLOB) ? 'blob' : 'text';
}

type Compress = (bytes: Uint8Array) => Uint8Array;
type CompressAt = (bytes: Uint8Array, level: number) => Uint8Array;

/** The levels of zstd that are tried. Level 3, its default, takes short repeats, which random digits have by chance: level 1 stores them in less. */
const LEVELS = [1, 3] as const;
/** The bytes that are compressed at both levels. */
const SAMPLE = 64 * 1024;

/** Returns the compression function of zstd, at the level that is better for the first bytes. */
async function loadZstd(): Promise<Compress> {
  const compressAt = await loadLevels();
  return (bytes) => {
    const sample = bytes.subarray(0, SAMPLE);
    const [fast, thorough] = LEVELS.map((level) => compressAt(sample, level)) as [Uint8Array, Uint8Array];
    const isFast = fast.length <= thorough.length;
    if (sample.length === bytes.length) return isFast ? fast : thorough;
    return compressAt(bytes, LEVELS[isFast ? 0 : 1]);
  };
}

/** Returns the compression function of Node, which Node 20 does not have, or a WebAssembly one. */
async function loadLevels(): Promise<CompressAt> {
  const { zstdCompressSync, constants } = zlib as unknown as NodeZstd;
  if (zstdCompressSync)
    return (bytes, level) => zstdCompressSync(bytes, { params: { [constants.ZSTD_c_compressionLevel]: level } });
  const zstd = await Zstd.load();
  copyAtOnce(zstd);
  return (bytes, level) => zstd.compress(bytes, level);
}

/** What `node:zlib` has from Node 22.15 on. */
interface NodeZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { params: Record<number, number> }) => Uint8Array;
  readonly constants: { readonly ZSTD_c_compressionLevel: number };
}

/** What the package uses to take results out of WebAssembly. */
interface Heap {
  heapView(data: unknown): Uint8Array;
  heapToUint8Array(data: unknown): Uint8Array;
}

/** Version 1.12 copies results byte by byte, through an array: a fifth of the CPU of a Parquet file. Replaces that copy. */
function copyAtOnce(zstd: Zstd): void {
  const { _mainModule: heap } = zstd as unknown as { readonly _mainModule?: Partial<Heap> };
  if (heap?.heapView && heap.heapToUint8Array) heap.heapToUint8Array = (data) => heap.heapView!(data).slice();
}
