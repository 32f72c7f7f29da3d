import { type FileHandle, open } from 'node:fs/promises';
import { ParquetWriter } from 'hyparquet-writer';
import { createByteWriter } from '../../files/export/formats/parquet/byte-writer.ts';
import { type Encoded, ENCODINGS } from '../../files/export/formats/parquet/encodings.ts';
import { loadZstd } from '../../files/export/formats/parquet/zstd.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES, type FactTableName, typeOf } from '../../store/outbox/fact-tables.ts';

/** A row group is in memory until it is written (decision 47): 10,000 rows of accounts, 31,250 of edges. */
const GROUP_VALUES = 250_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

/** The columns that all facts begin with: the store, the entry, and the crawl (null in a snapshot). */
export type FactHead = readonly [store: string, entry: number, crawlId: number | null];

/** A Parquet file of facts of one table. */
export type FactFile = Awaited<ReturnType<typeof createFactFile>>;

/** Creates a file, readable by its owner only. */
export async function createFactFile(path: string, table: FactTableName, metadata: Readonly<Record<string, string>>) {
  const columns = Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  const encodings = columns.map(([, type]) => ENCODINGS[typeOf(type)]);
  // Engines skip row groups by the bounds of what they look for.
  const keys: readonly string[] = [...Object.keys(COMMON_COLUMNS), ...FACT_TABLES[table].key];
  const hasBounds = columns.map(([name]) => keys.includes(name));
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  const sink = {
    async write(chunk: string | Uint8Array): Promise<void> {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      await writeFully(file, buffer);
      bytes += buffer.length;
    },
  };
  const elements = columns.map(([name], i) => ({
    name,
    repetition_type: 'OPTIONAL' as const,
    ...encodings[i]!.element,
  }));
  const writer = new ParquetWriter({
    writer: createByteWriter(sink),
    schema: [{ name: 'schema', num_children: elements.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: await loadZstd() },
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
  });
  let group: (Encoded | undefined)[][] = columns.map(() => []);
  let characters = 0;

  async function writeGroup(): Promise<void> {
    const rowGroupSize = group[0]!.length;
    if (rowGroupSize === 0) return;
    const columnData = group.map((data, i) => ({
      name: columns[i]![0],
      data,
      statistics: hasBounds[i]!,
      ...chooseEncoding(data),
    }));
    await writer.write({ columnData, rowGroupSize });
    group = columns.map(() => []);
    characters = 0;
  }

  /** The last value of each column, before and after encoding: those of a page are mostly the same. */
  const last: { value: unknown; encoded: Encoded | undefined }[] = columns.map(() => ({
    value: undefined,
    encoded: undefined,
  }));

  function addFact(head: FactHead | readonly [], fact: Fact): void {
    for (let i = 0; i < encodings.length; i += 1) {
      const value = i < head.length ? head[i] : fact[i - head.length];
      const before = last[i]!;
      if (value !== before.value) {
        before.value = value;
        before.encoded = value == null ? undefined : encodings[i]!.encode(value as string | number);
      }
      if (typeof before.encoded === 'string') characters += before.encoded.length;
      group[i]!.push(before.encoded);
    }
  }

  return {
    /** The bytes that are on disk. */
    get bytes(): number {
      return bytes;
    },
    /** Adds facts, with their common columns before them or as `head`. Missing columns at their end are null. */
    async add(head: FactHead | readonly [], facts: readonly Fact[]): Promise<void> {
      for (const fact of facts) {
        addFact(head, fact);
        if (group[0]!.length * columns.length >= GROUP_VALUES || characters >= GROUP_CHARACTERS) await writeGroup();
      }
    },
    /** Completes the file on disk. */
    async finish(): Promise<void> {
      await writeGroup();
      await writer.finish();
      await file.sync();
      await file.close();
    },
    /** Closes an incomplete file. */
    abandon: (): Promise<void> => file.close(),
  };
}

/** Values of a column that are looked at. */
const SAMPLE = 500;
/** With more different values, a dictionary is larger than the values. */
const DICTIONARY_SHARE = 0.6;

/**
 * Returns how texts that rarely repeat, such as ids and descriptions, are stored: their lengths apart from their characters, which
 * takes a fifth less than both together. Other columns are left to the writer, which finds dictionaries.
 */
function chooseEncoding(data: readonly (Encoded | undefined)[]): { readonly encoding?: 'DELTA_LENGTH_BYTE_ARRAY' } {
  const step = Math.max(1, Math.floor(data.length / SAMPLE));
  const seen = new Set<string>();
  let texts = 0;
  for (let i = 0; i < data.length; i += step) {
    const value = data[i];
    if (typeof value !== 'string') continue;
    texts += 1;
    seen.add(value);
  }
  return seen.size > texts * DICTIONARY_SHARE ? { encoding: 'DELTA_LENGTH_BYTE_ARRAY' } : {};
}

/** A file may be written in parts. */
async function writeFully(file: FileHandle, buffer: Uint8Array): Promise<void> {
  for (let at = 0; at < buffer.length;) at += (await file.write(buffer, at)).bytesWritten;
}
