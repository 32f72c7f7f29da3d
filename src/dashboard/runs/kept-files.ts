import { randomBytes } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { finished, type Readable } from 'node:stream';
import { MINUTE } from '../../clock.ts';

/** A file to download, and the JSON of its sidecar. */
export interface KeptFile {
  readonly name: string;
  readonly contentType: string;
  readonly bytes: number;
  readonly origin: string;
  /** Reads it from the start. */
  read(): Readable;
}

/** Files that are kept for some minutes, by ids that nobody can guess. Disposal closes them. */
export interface KeptFiles extends AsyncDisposable {
  /** Keeps a file, which may then be deleted: the open file has no name. Returns its id. */
  keep(path: string, file: Omit<KeptFile, 'read'>): Promise<string>;
  find(id: string): KeptFile | undefined;
}

const KEPT_MS = 5 * MINUTE;
const MAX_KEPT = 4;

export function createKeptFiles(): KeptFiles {
  const files = new Map<string, { readonly file: KeptFile; drop(): Promise<void> }>();

  async function drop(id: string): Promise<void> {
    const found = files.get(id);
    files.delete(id);
    await found?.drop();
  }

  return {
    async keep(path, file) {
      const id = randomBytes(16).toString('base64url');
      const opened = openForReaders(await open(path, 'r'));
      const timer = setTimeout(() => void drop(id), KEPT_MS);
      timer.unref();
      files.set(id, {
        file: { ...file, read: opened.read },
        drop: async () => {
          clearTimeout(timer);
          await opened.close();
        },
      });
      const [oldest] = files.keys();
      if (files.size > MAX_KEPT) await drop(oldest!);
      return id;
    },
    find: (id) => files.get(id)?.file,
    async [Symbol.asyncDispose]() {
      await Promise.all(Array.from(files.keys(), drop));
    },
  };
}

/** Closes a file when its last reader has ended. */
function openForReaders(handle: FileHandle) {
  let readers = 0;
  let isClosing = false;
  const close = async (): Promise<void> => {
    isClosing = true;
    if (readers === 0) await handle.close();
  };
  return {
    close,
    read(): Readable {
      readers++;
      const stream = handle.createReadStream({ start: 0, autoClose: false });
      finished(stream, () => {
        readers--;
        if (isClosing) void close();
      });
      return stream;
    },
  };
}
