import { basename } from 'node:path';
import { createResourceStack } from '#base/disposable-stack.ts';
import type { Format, FormatOptions, Sink } from './formats/output-format.ts';
import { createOutputFile, type WrittenBytes } from './output-file.ts';
import { pseudonymiseOrigin, pseudonymiseSidecar, type Pseudonyms } from './pseudonyms/pseudonyms.ts';
import type { ResultSet } from './result-set.ts';
import {
  type FileFacts,
  type FileOrigin,
  formatExactJson,
  type Provenance,
  type RowFacts,
  sidecarPathOf,
} from './sidecar.ts';

export interface WrittenFile extends WrittenBytes {
  readonly path: string;
  readonly rows: number;
}

export interface WriteFileOptions extends Pick<FormatOptions, 'chart' | 'onRows' | 'signal'> {
  readonly path: string;
  readonly format: Format;
  readonly result: ResultSet;
  /** Where the rows come from. Formats that have properties contain it: Parquet as JSON, under the key `trawl`. */
  readonly origin: Provenance | FileOrigin;
  /** Returns what the sidecar says of the rows; without it, no sidecar is written. */
  readonly describe?: (() => RowFacts) | undefined;
  /** Of a result with pseudonyms: the sidecar and the properties then name nobody either. */
  readonly pseudonyms?: Pseudonyms | undefined;
  /** The maximum size of the file. */
  readonly maxBytes?: number | undefined;
}

/** A file and its sidecar, complete under temporary names. Disposal deletes what is not committed. */
export interface PreparedFile<Written extends WrittenBytes = WrittenFile> extends AsyncDisposable {
  readonly written: Written;
  /** Gives both their names, the file last. */
  commit(): Promise<void>;
}

/**
 * Writes a file and its sidecar. Both appear under their names only when they are complete, the file last.
 * @throws TrawlError if the file cannot be written, or if the format cannot hold the rows
 */
export async function writeFile(options: WriteFileOptions): Promise<WrittenFile> {
  await using file = await prepareFile(options);
  await file.commit();
  return file.written;
}

/** Writes a file and its sidecar under temporary names: several files may then appear at once. @throws TrawlError like `writeFile` */
export async function prepareFile(options: WriteFileOptions): Promise<PreparedFile> {
  const { path, format, result, describe, origin, pseudonyms, chart, onRows, signal, maxBytes } = options;
  const metadata = { trawl: formatExactJson(pseudonyms ? pseudonymiseOrigin(origin, pseudonyms) : origin) };
  return await prepareWithSidecar<WrittenFile>({
    path,
    maxBytes,
    write: async (sink) => ({ path, rows: await format.write(result, sink, { chart, onRows, signal, metadata }) }),
    describe:
      describe &&
      (({ rows, bytes, sha256 }) => {
        const file = { name: basename(path), mediaType: format.mediaType, rows, bytes, sha256 };
        const document: FileFacts = { ...origin, ...file, columns: result.columns, chart, ...describe() };
        return pseudonyms ? pseudonymiseSidecar(document, pseudonyms) : document;
      }),
  });
}

interface SidecarOptions<Written extends WrittenBytes> {
  readonly path: string;
  readonly maxBytes?: number | undefined;
  /** Writes the content, and returns what is known of it. */
  write(sink: Sink): Promise<Omit<Written, keyof WrittenBytes>>;
  /** Returns the document of the sidecar; without it, none is written. */
  readonly describe?: ((written: Written) => object) | undefined;
}

/** Writes a file and the document `<file>.meta.json` under temporary names. @throws TrawlError if one of them cannot be written */
export async function prepareWithSidecar<Written extends WrittenBytes>({
  path,
  maxBytes,
  write,
  describe,
}: SidecarOptions<Written>): Promise<PreparedFile<Written>> {
  await using stack = createResourceStack();
  const file = stack.use(await createOutputFile(path, maxBytes));
  const written = { ...(await write(file)), ...(await file.finish()) } as Written;
  const sidecar = describe && stack.use(await createOutputFile(sidecarPathOf(path)));
  if (sidecar) {
    await sidecar.write(`${formatExactJson(describe(written), 2)}\n`);
    await sidecar.finish();
  }
  const files = stack.move();
  return {
    written,
    async commit() {
      await sidecar?.commit();
      await file.commit();
    },
    [Symbol.asyncDispose]: () => files[Symbol.asyncDispose](),
  };
}
