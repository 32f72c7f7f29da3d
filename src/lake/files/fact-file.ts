import { open } from 'node:fs/promises';
import {
  type Encoded,
  type Encoding,
  ENCODINGS,
  createParquetWriter,
} from '#files/export/formats/parquet/parquet-writer.ts';
import { COMMON_COLUMNS, type Fact, FACT_TABLES, type FactTableName, typeOf } from '#store/outbox/fact-tables.ts';

/** A row group is in memory until it is written (decision 47): 10,000 rows of accounts, 31,250 of edges. */
const GROUP_VALUES = 250_000;
const GROUP_CHARACTERS = 16 * 1024 * 1024;

/** The columns that all facts begin with: the store, the entry, and the crawl (null in a snapshot). */
export type FactHead = readonly [store: string, entry: number, crawlId: number | null];

/** A Parquet file of facts of one table. */
export type FactFile = Awaited<ReturnType<typeof createFactFile>>;

/** Creates a file, readable by its owner only. */
export async function createFactFile(path: string, table: FactTableName, metadata: Readonly<Record<string, string>>) {
  const columns = listColumns(table);
  const file = await open(path, 'wx', 0o600);
  let bytes = 0;
  const write = async (chunk: string | Uint8Array): Promise<void> => {
    await file.appendFile(chunk);
    bytes += Buffer.byteLength(chunk);
  };
  const writer = await createParquetWriter({ write }, columns, metadata);
  const group = createRowGroup(columns);
  const writeGroup = async (): Promise<void> => {
    if (group.rows > 0) await writer.write(group.take());
  };

  return {
    /** The bytes that are on disk. */
    get bytes(): number {
      return bytes;
    },
    /** Adds facts, with their common columns before them or as `head`. Missing columns at their end are null. */
    async add(head: FactHead | readonly [], facts: readonly Fact[]): Promise<void> {
      for (const fact of facts) {
        group.add(head, fact);
        if (group.isFull) await writeGroup();
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

interface FactFileColumn {
  readonly name: string;
  readonly encoding: Encoding;
  /** Engines skip row groups by the bounds of what they look for. */
  readonly statistics: boolean;
}

function listColumns(table: FactTableName): FactFileColumn[] {
  const { columns, key } = FACT_TABLES[table];
  const keys: readonly string[] = [...Object.keys(COMMON_COLUMNS), ...key];
  return Object.entries({ ...COMMON_COLUMNS, ...columns }).map(([name, type]) => ({
    name,
    encoding: ENCODINGS[typeOf(type)],
    statistics: keys.includes(name),
  }));
}

function createRowGroup(columns: readonly FactFileColumn[]) {
  let group: (Encoded | undefined)[][] = columns.map(() => []);
  let characters = 0;
  /** The last value of each column, before and after encoding: those of a page are mostly the same. */
  const last: { value: unknown; encoded: Encoded | undefined }[] = columns.map(() => ({
    value: undefined,
    encoded: undefined,
  }));
  return {
    get rows(): number {
      return group[0]!.length;
    },
    get isFull(): boolean {
      return this.rows * columns.length >= GROUP_VALUES || characters >= GROUP_CHARACTERS;
    },
    add(head: FactHead | readonly [], fact: Fact): void {
      for (let i = 0; i < columns.length; i += 1) {
        const value = i < head.length ? head[i] : fact[i - head.length];
        const before = last[i]!;
        if (value !== before.value) {
          before.value = value;
          before.encoded = value == null ? undefined : columns[i]!.encoding.encode(value as string | number);
        }
        if (typeof before.encoded === 'string') characters += before.encoded.length;
        group[i]!.push(before.encoded);
      }
    },
    /** Returns the rows, as the writer takes them, and begins again. */
    take() {
      const rowGroupSize = this.rows;
      const columnData = columns.map(({ name, statistics }, i) => {
        const data = group[i]!;
        return { name, data, statistics, ...chooseEncoding(data) };
      });
      group = columns.map(() => []);
      characters = 0;
      return { columnData, rowGroupSize };
    },
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
