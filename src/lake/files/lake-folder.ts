import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describeError, UsageError } from '#base/errors.ts';
import { tryLock } from '#lake/worker/ship-lock.ts';
import type { LakeStorage } from './lake-storage.ts';

/** Where files are until they are complete: they can be renamed within a file system only. */
const PARTIAL = '_partial';

/** Opens the files of a lake in a folder. */
export function openLakeFolder(lake: string): LakeStorage {
  async function move(file: string, path: string): Promise<void> {
    const target = join(lake, path);
    createFolder(dirname(target));
    await rename(file, target);
    await syncFolder(dirname(target));
  }

  return {
    async prepare() {
      try {
        createFolder(lake);
      } catch (cause) {
        throw new UsageError(`cannot create ${lake}: ${describeError(cause)}`, { cause });
      }
    },
    describe: (path) => join(lake, path),
    async list(folder) {
      const path = join(lake, folder);
      const names = existsSync(path) ? (readdirSync(path, { recursive: true }) as string[]) : [];
      return names.map((name) => `${folder}/${name}`);
    },
    read: async (path) => (existsSync(join(lake, path)) ? await readFile(join(lake, path)) : undefined),
    async write(path, content) {
      createFolder(dirname(join(lake, path)));
      const temporary = join(lake, `${path}.partial`);
      const file = await open(temporary, 'w', 0o600);
      try {
        await file.writeFile(content);
        await file.sync();
      } finally {
        await file.close();
      }
      await move(temporary, path);
    },
    move,
    remove: (path) => rm(join(lake, path), { force: true }),
    claim(name) {
      const path = join(lake, PARTIAL, name);
      createFolder(dirname(path));
      const lock = tryLock(`${path}.lock`);
      if (!lock) return undefined;
      // Files of a killed process may show whom a purge removes.
      rmSync(path, { recursive: true, force: true });
      createFolder(path);
      return {
        path,
        [Symbol.dispose]() {
          rmSync(path, { recursive: true, force: true });
          lock[Symbol.dispose]();
        },
      };
    },
  };
}

const createFolder = (path: string): void => void mkdirSync(path, { recursive: true, mode: 0o700 });

/** Writes the names of a folder to disk. */
async function syncFolder(path: string): Promise<void> {
  let folder: FileHandle | undefined;
  try {
    folder = await open(path, 'r');
    await folder.sync();
  } catch {
    // Some file systems cannot do this; they write names in order.
  } finally {
    await folder?.close();
  }
}
