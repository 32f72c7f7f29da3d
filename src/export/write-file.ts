import type { Format, FormatOptions } from './formats/format.ts';
import { createOutputFile, type WrittenBytes } from './output-file.ts';
import type { ResultSet } from './result-set.ts';
import { type Sidecar, sidecarPathOf } from './sidecar.ts';

export interface WrittenFile extends WrittenBytes {
  readonly path: string;
  readonly rows: number;
}

export interface WriteFileOptions extends Pick<FormatOptions, 'onRows' | 'signal' | 'metadata'> {
  readonly path: string;
  readonly format: Format;
  readonly result: ResultSet;
  /** Returns the sidecar; without it, none is written. */
  readonly describe?: ((written: WrittenFile) => Sidecar) | undefined;
}

/**
 * Writes a file and its sidecar. Both appear under their names only when they are complete, the file last.
 * @throws TrawlError if the file cannot be written, or if the format cannot hold the rows
 */
export async function writeFile(options: WriteFileOptions): Promise<WrittenFile> {
  const { path, format, result, describe, onRows, signal, metadata } = options;
  await using file = await createOutputFile(path);
  const rows = await format.write(result, file, { onRows, signal, metadata });
  const written = { path, rows, ...(await file.finish()) };
  if (describe) await writeSidecar(path, describe(written));
  await file.commit();
  return written;
}

async function writeSidecar(path: string, sidecar: Sidecar): Promise<void> {
  await using file = await createOutputFile(sidecarPathOf(path));
  await file.write(`${JSON.stringify(sidecar, toExactNumber, 2)}\n`);
  await file.finish();
  await file.commit();
}

/** Integers of SQLite are bigints, which JSON has as numbers up to 2^53, and as text beyond. */
function toExactNumber(_: string, value: unknown): unknown {
  if (typeof value !== 'bigint') return value;
  return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
}
