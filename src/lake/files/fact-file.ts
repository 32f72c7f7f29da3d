import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { TrawlError } from '#base/errors.ts';
import { FACT_TABLES, type Facts } from '#store/outbox/fact-tables.ts';

/**
 * A file of facts: JSON lines, compressed by Brotli. The first line names the store and the columns of all tables. Each other
 * line is an entry, or a part of a snapshot: `[<entry>, <crawl or null>, { <table>: [<fact>, …] }]`.
 */
export type FactFile = ReturnType<typeof createFactFile>;

export interface FactLine {
  readonly entry: number;
  readonly crawlId: number | null;
  readonly facts: Facts;
}

/** @param facts by table, as JSON */
export const formatFactLine = (entry: number, crawlId: number | null, facts: string): string =>
  `[${entry},${crawlId ?? 'null'},${facts}]\n`;

/** 0.71 of the bytes of Parquet files by table (decision 88). With the hint, it finds more of what is repeated. */
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS,
    [constants.BROTLI_PARAM_SIZE_HINT]: 2 ** 25,
  },
};

const COLUMNS = Object.fromEntries(
  Object.entries(FACT_TABLES).map(([table, { columns }]) => [table, Object.keys(columns)]),
);

/** Creates a file, readable by its owner only. */
export function createFactFile(path: string, store: string) {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const lines = createBrotliCompress(BROTLI);
  const written = pipeline(lines, file);
  written.catch(() => undefined);
  lines.write(`${JSON.stringify({ store, columns: COLUMNS })}\n`);
  return {
    /** The bytes that are on disk. */
    get bytes(): number {
      return file.bytesWritten;
    },
    async add(line: string): Promise<void> {
      if (!lines.write(line)) await Promise.race([once(lines, 'drain'), written]);
    },
    /** Completes the file on disk. */
    async finish(): Promise<void> {
      lines.end();
      await written;
    },
    /** Closes an incomplete file. */
    async abandon(): Promise<void> {
      lines.destroy();
      await written.catch(() => undefined);
    },
  };
}

/**
 * Returns the lines of a file.
 * @param tables only lines with facts of one of these tables
 * @throws TrawlError if it is of another store; other errors if it is damaged
 */
export async function* readFactFile(
  content: Uint8Array,
  store: string,
  tables?: readonly string[],
): AsyncGenerator<FactLine, void, undefined> {
  const isWanted = (line: string): boolean => tables?.some((table) => line.includes(`"${table}":`)) ?? true;
  let isHead = true;
  for await (const line of readLines(content)) {
    if (isHead) {
      const { store: found } = JSON.parse(line) as { readonly store: unknown };
      if (found !== store) throw new TrawlError(`it has facts of the store ${String(found)}`);
      isHead = false;
    } else if (isWanted(line)) {
      const [entry, crawlId, facts] = JSON.parse(line) as [number, number | null, Facts];
      yield { entry, crawlId, facts };
    }
  }
}

async function* readLines(content: Uint8Array): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  const compressed = Readable.from([content], { objectMode: false });
  let rest = '';
  for await (const chunk of compressed.pipe(createBrotliDecompress()) as AsyncIterable<Buffer>) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
