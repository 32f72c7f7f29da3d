import { type FileHandle, open } from 'node:fs/promises';
import { ParquetWriter } from 'hyparquet-writer';
import { createByteWriter } from '../../export/formats/parquet/byte-writer.ts';
import { type Encoded, ENCODINGS } from '../../export/formats/parquet/encodings.ts';
import { loadZstd } from '../../export/formats/parquet/zstd.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES, type FactTableName } from '../facts/fact-tables.ts';

/** A row group is in memory until it is written (decision 47). */
const GROUP_ROWS = 10_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

/** A Parquet file of facts of one table. */
export type FactFile = Awaited<ReturnType<typeof createFactFile>>;

/** Creates a file, readable by its owner only. */
export async function createFactFile(path: string, table: FactTableName, metadata: Readonly<Record<string, string>>) {
  const columns = Object.entries({ ...COMMON_COLUMNS, ...FACT_TABLES[table].columns });
  const encodings = columns.map(([, type]) => ENCODINGS[type]);
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
    ...{ name, repetition_type: 'OPTIONAL' as const },
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
    const columnData = group.map((data, i) => ({ name: columns[i]![0], data }));
    await writer.write({ columnData, rowGroupSize });
    group = columns.map(() => []);
    characters = 0;
  }

  return {
    /** The bytes that are on disk. */
    get bytes(): number {
      return bytes;
    },
    /** Adds a fact. Missing columns at its end are null. */
    async add(fact: Fact): Promise<void> {
      for (let i = 0; i < encodings.length; i += 1) {
        const value = fact[i];
        const encoded = value == null ? undefined : encodings[i]!.encode(value as string | number);
        if (typeof encoded === 'string') characters += encoded.length;
        group[i]!.push(encoded);
      }
      if (group[0]!.length >= GROUP_ROWS || characters >= GROUP_CHARACTERS) await writeGroup();
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

/** A file may be written in parts. */
async function writeFully(file: FileHandle, buffer: Uint8Array): Promise<void> {
  for (let at = 0; at < buffer.length;) at += (await file.write(buffer, at)).bytesWritten;
}
