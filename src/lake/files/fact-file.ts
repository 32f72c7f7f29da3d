import { createHash, type Hash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createBrotliCompress, createBrotliDecompress } from 'node:zlib';
import { TrawlError } from '#base/errors.ts';
import { FACT_TABLES, type Facts } from '#store/outbox/fact-tables.ts';

/**
 * A file of facts: JSON lines, compressed by Brotli. The first line names the store and the columns of all tables, and the last one
 * has the digest of the lines before it, since Brotli has no checksum. Each other line is an entry, or a part of a snapshot:
 * `[<entry>, <crawl or null>, { <table>: [<fact>, …] }]`. Disposal abandons an incomplete file.
 */
export type FactFile = ReturnType<typeof createFactFile>;

export interface FactLine {
  readonly entry: number;
  readonly crawlId: number | null;
  readonly facts: Facts;
}

/** With the hint, it finds more of what is repeated (decision 88). Readers need memory for the window, of 4 MB, per file. */
const BROTLI = {
  params: {
    [constants.BROTLI_PARAM_QUALITY]: 4,
    [constants.BROTLI_PARAM_LGWIN]: 22,
    [constants.BROTLI_PARAM_SIZE_HINT]: 2 ** 25,
  },
};

const COLUMNS = Object.fromEntries(
  Object.entries(FACT_TABLES).map(([table, { columns }]) => [table, Object.keys(columns)]),
);

const formatTrailer = (digest: Hash): string => `{"sha256":"${digest.digest('hex')}"}\n`;
const TRAILER_BYTES = formatTrailer(createHash('sha256')).length;

/** Creates a file, readable by its owner only. */
export function createFactFile(path: string, store: string) {
  const file = createWriteStream(path, { flags: 'wx', mode: 0o600, flush: true });
  const lines = createBrotliCompress(BROTLI);
  const digest = createHash('sha256');
  const written = pipeline(lines, file);
  written.catch(() => undefined);

  function write(line: string): boolean {
    digest.update(line);
    return lines.write(line);
  }
  write(`${JSON.stringify({ store, columns: COLUMNS })}\n`);

  return {
    /** The bytes that are on disk. */
    get bytes(): number {
      return file.bytesWritten;
    },
    /** Adds a line. @param facts by table, as JSON */
    async add(entry: number, crawlId: number | null, facts: string): Promise<void> {
      const hasRoom = write(`[${entry},${crawlId ?? 'null'},${facts}]\n`);
      if (!hasRoom) await Promise.race([once(lines, 'drain'), written]);
    },
    /** Completes the file on disk. */
    async finish(): Promise<void> {
      lines.end(formatTrailer(digest));
      await written;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      lines.destroy();
      await written.catch(() => undefined);
    },
  };
}

/**
 * Returns the lines of a file, after its digest was checked.
 * @param tables only lines with facts of one of these tables
 * @throws TrawlError if it is of another store, or was changed; other errors if it cannot be decompressed
 */
export async function* readFactFile(
  content: Uint8Array,
  store: string,
  tables?: readonly string[],
): AsyncGenerator<FactLine, void, undefined> {
  await checkDigest(content);
  const isWanted = (line: string): boolean => tables?.some((table) => line.includes(`"${table}":`)) ?? true;
  let isHead = true;
  for await (const line of readLines(content)) {
    if (isHead) {
      const { store: found } = JSON.parse(line) as { readonly store: unknown };
      if (found !== store) throw new TrawlError(`it has facts of the store ${String(found)}`);
      isHead = false;
    } else if (line.startsWith('[') && isWanted(line)) {
      const [entry, crawlId, facts] = JSON.parse(line) as [number, number | null, Facts];
      yield { entry, crawlId, facts };
    }
  }
}

const decompress = (content: Uint8Array): AsyncIterable<Buffer> =>
  Readable.from([content], { objectMode: false }).pipe(createBrotliDecompress());

/** Reads a file once before its facts are used: what is stored of them is not taken back. @throws TrawlError */
async function checkDigest(content: Uint8Array): Promise<void> {
  const digest = createHash('sha256');
  let end = Buffer.alloc(0);
  for await (const chunk of decompress(content)) {
    const bytes = Buffer.concat([end, chunk]);
    const at = Math.max(0, bytes.length - TRAILER_BYTES);
    digest.update(bytes.subarray(0, at));
    end = bytes.subarray(at);
  }
  if (end.toString() !== formatTrailer(digest)) throw new TrawlError('its content was changed');
}

async function* readLines(content: Uint8Array): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of decompress(content)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
}
