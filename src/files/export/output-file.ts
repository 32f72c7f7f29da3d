import { createHash } from 'node:crypto';
import { closeSync, openSync, readSync, realpathSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { describeError, TrawlError, UsageError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';
import { formatBytes } from '#base/units.ts';
import type { Sink } from './formats/output-format.ts';

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

/** Only the owner may read a new file: it may contain personal data. */
const NEW_FILE_MODE = 0o600;

/**
 * Creates a file. One that it replaces keeps its permissions; a symbolic link is followed. Temporary files that killed
 * processes left for the same name are deleted. @throws TrawlError if it cannot be created or written, or becomes larger than `maxBytes`
 */
export async function createOutputFile(path: string, maxBytes = Infinity): Promise<OutputFile> {
  const { target, mode } = await explain(path, () => findTarget(path));
  removeAbandonedFiles(target);
  const temporary = `${target}${temporarySuffix(process.pid)}`;
  const file = await explain(path, () => open(temporary, 'w', mode));
  const hash = createHash('sha256');
  let bytes = 0;
  let isOpen = true;
  let isCommitted = false;
  async function close(): Promise<void> {
    isOpen = false;
    await file.close();
  }
  return {
    async write(chunk) {
      const buffer = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      hash.update(buffer);
      bytes += buffer.length;
      if (bytes > maxBytes) throw tooLargeError(maxBytes);
      await explain(path, () => writeFully(file, buffer));
    },
    async finish() {
      await explain(path, () => file.sync());
      await explain(path, close);
      return { bytes, sha256: hash.digest('hex') };
    },
    async commit() {
      await explain(path, () => rename(temporary, target));
      isCommitted = true;
    },
    async [Symbol.asyncDispose]() {
      if (isOpen) await close();
      if (!isCommitted) rmSync(temporary, { force: true });
    },
  };
}

const tooLargeError = (maxBytes: number): TrawlError =>
  new TrawlError(`the file would be larger than ${formatBytes(maxBytes)}`, {
    hint: 'Select fewer rows, or write it in a terminal.',
  });

/** Returns the file that a path leads to, and the permissions of the new one. */
function findTarget(path: string): { target: string; mode: number } {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return { target: path, mode: NEW_FILE_MODE };
  if (!found.isFile()) throw new UsageError(`cannot write ${path}: it is not a regular file`);
  if (isDatabase(path)) {
    throw new UsageError(`${path} is a SQLite database, which a file with rows does not replace`, {
      hint: 'Name another file with -o.',
    });
  }
  return { target: realpathSync(path), mode: found.mode & 0o777 };
}

/** The first bytes of a SQLite file. */
const DATABASE_HEADER = Buffer.from('SQLite format 3\0');

function isDatabase(path: string): boolean {
  const fd = openSync(path, 'r');
  try {
    const start = Buffer.alloc(DATABASE_HEADER.length);
    readSync(fd, start);
    return start.equals(DATABASE_HEADER);
  } finally {
    closeSync(fd);
  }
}

/** A file may be written in parts. */
async function writeFully(file: FileHandle, buffer: Uint8Array): Promise<void> {
  for (let at = 0; at < buffer.length;) at += (await file.write(buffer, at)).bytesWritten;
}

async function explain<T>(path: string, run: () => T | Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (cause) {
    if (cause instanceof TrawlError) throw cause;
    throw new TrawlError(`cannot write ${path}: ${describeError(cause)}`, { cause });
  }
}
