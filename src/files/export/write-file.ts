import { createResourceStack } from '../../base/disposable-stack.ts';
import type { Format, FormatOptions } from './formats/output-format.ts';
import { createOutputFile, type WrittenBytes } from './output-file.ts';
import { pseudonymiseOrigin, pseudonymiseSidecar } from './pseudonyms/pseudonymised-sidecar.ts';
import type { Pseudonyms } from './pseudonyms/pseudonyms.ts';
import type { ResultSet } from './result-set.ts';
import { type FileFacts, type FileOrigin, formatExactJson, sidecarPathOf } from './sidecar.ts';

export interface WrittenFile extends WrittenBytes {
  readonly path: string;
  readonly rows: number;
}

export interface WriteFileOptions extends Pick<FormatOptions, 'chart' | 'onRows' | 'signal'> {
  readonly path: string;
  readonly format: Format;
  readonly result: ResultSet;
  /** Where the rows come from, for the formats that have properties: Parquet has it as JSON, under the key `trawl`. */
  readonly origin?: FileOrigin | undefined;
  /** Returns the sidecar; without it, none is written. */
  readonly describe?: ((written: WrittenFile) => FileFacts) | undefined;
  /** Of a result with pseudonyms: the sidecar and the properties then name nobody either. */
  readonly pseudonyms?: Pseudonyms | undefined;
  /** The maximum size of the file. */
  readonly maxBytes?: number | undefined;
}

/** A file and its sidecar, complete under temporary names. Disposal deletes what is not committed. */
export interface PreparedFile extends AsyncDisposable {
  readonly written: WrittenFile;
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
  const metadata = origin && { trawl: formatExactJson(pseudonyms ? pseudonymiseOrigin(origin, pseudonyms) : origin) };
  await using stack = createResourceStack();
  const file = stack.use(await createOutputFile(path, maxBytes));
  const rows = await format.write(result, file, { chart, onRows, signal, metadata });
  const written = { path, rows, ...(await file.finish()) };
  const sidecar = describe && stack.use(await createOutputFile(sidecarPathOf(path)));
  if (sidecar) {
    const document = describe(written);
    await sidecar.write(`${formatExactJson(pseudonyms ? pseudonymiseSidecar(document, pseudonyms) : document, 2)}\n`);
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
