import { createHash } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { describeError, TrawlError } from '../errors.ts';
import type { Sink } from './formats/format.ts';

/** The size and the checksum of a written file. */
export interface WrittenBytes {
  readonly bytes: number;
  /** SHA-256, in hexadecimal digits. */
  readonly sha256: string;
}

/**
 * A file that is written under a temporary name beside its final one, so that the final name never has a part of it.
 * Disposal deletes what is not committed.
 */
export interface OutputFile extends Sink, AsyncDisposable {
  /** Completes the file on disk, under its temporary name. */
  finish(): Promise<WrittenBytes>;
  /** Gives the finished file its final name, and replaces a file of that name. */
  commit(): Promise<void>;
}

/** Chunks are collected up to this size, in bytes. */
const BUFFER_BYTES = 256 * 1024;

/** `users.csv.3141.partial`: the process is in the name. */
const temporaryNameOf = (path: string): string => `${path}.${process.pid}.partial`;

/** Creates a file, readable by its owner only. @throws TrawlError if it cannot be created or written */
export async function createOutputFile(path: string): Promise<OutputFile> {
  const temporary = temporaryNameOf(path);
  removeAbandonedFiles(path);
  const file = await explain(path, () => open(temporary, 'w', 0o600));
  const hash = createHash('sha256');
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let bytes = 0;
  let state: 'open' | 'finished' | 'committed' = 'open';
  async function flush(): Promise<void> {
    const chunk = pending.length === 1 ? pending[0]! : Buffer.concat(pending);
    pending = [];
    pendingBytes = 0;
    hash.update(chunk);
    bytes += chunk.length;
    await explain(path, () => writeFully(file, chunk));
  }
  return {
    async write(chunk) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      pending.push(buffer);
      pendingBytes += buffer.length;
      if (pendingBytes >= BUFFER_BYTES) await flush();
    },
    async finish() {
      if (pendingBytes > 0) await flush();
      await explain(path, () => file.sync());
      await file.close();
      state = 'finished';
      return { bytes, sha256: hash.digest('hex') };
    },
    async commit() {
      await explain(path, () => rename(temporary, path));
      state = 'committed';
    },
    async [Symbol.asyncDispose]() {
      if (state === 'open') await file.close();
      if (state !== 'committed') rmSync(temporary, { force: true });
    },
  };
}

async function writeFully(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
}

async function explain<T>(path: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    throw new TrawlError(`cannot write ${path}: ${describeError(cause)}`, { cause });
  }
}

/** Deletes the temporary files of this path whose processes were killed. */
function removeAbandonedFiles(path: string): void {
  const folder = dirname(path);
  for (const name of listFiles(folder)) {
    const [, pid] = name.startsWith(`${basename(path)}.`) ? (/\.(\d+)\.partial$/.exec(name) ?? []) : [];
    if (pid !== undefined && name === basename(temporaryNameOf(path)).replace(/\d+(?=\.partial$)/, pid) && !isRunning(Number(pid)))
      rmSync(join(folder, name), { force: true });
  }
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Creating the file reports the error.
    return [];
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
