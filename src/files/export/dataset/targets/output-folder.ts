import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, rmdirSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describeError, TrawlError, UsageError } from '#base/errors.ts';
import { removeAbandonedFiles, temporarySuffix } from '#base/temporary-files.ts';

/**
 * A folder that is filled under a temporary name beside its final one, so that the final name never has a part of it.
 * Disposal deletes what is not committed.
 */
export interface OutputFolder extends Disposable {
  /** The path of a file of the folder, which may be written. */
  path(name: string): string;
  /** Gives the folder its final name, or uploads it. */
  commit(): Promise<void>;
}

interface OutputFolderOptions {
  /** Replaces an earlier dataset of that name. */
  readonly overwrite?: boolean | undefined;
}

/** The file that makes a folder a dataset: only folders with it are replaced. */
export const DESCRIPTOR = 'datapackage.json';

/**
 * Creates the folder of a dataset, for its owner only. Its parent must exist.
 * @throws UsageError if the final name is taken; TrawlError if the folder cannot be created
 */
export function createOutputFolder(path: string, { overwrite = false }: OutputFolderOptions = {}): OutputFolder {
  const final = resolve(path);
  requireFree(path, overwrite);
  removeAbandonedFiles(final);
  const temporary = final + temporarySuffix(process.pid);
  explain(path, () => {
    rmSync(temporary, { recursive: true, force: true });
    mkdirSync(temporary, { mode: 0o700 });
  });
  let isCommitted = false;
  return {
    path(name) {
      const file = join(temporary, name);
      explain(path, () => mkdirSync(dirname(file), { recursive: true, mode: 0o700 }));
      return file;
    },
    async commit() {
      const folders = readdirSync(temporary, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isDirectory())
        .map((entry) => join(entry.parentPath, entry.name));
      for (const folder of [...folders, temporary]) await syncFolder(folder);
      // What another process has put there meanwhile is not replaced either.
      requireFree(path, overwrite);
      explain(path, () => replace(temporary, final));
      isCommitted = true;
      await syncFolder(dirname(final));
    },
    [Symbol.dispose]() {
      if (!isCommitted) rmSync(temporary, { recursive: true, force: true });
    },
  };
}

/** @throws UsageError unless the path is free, an empty folder, or a dataset that may be replaced */
function requireFree(path: string, overwrite: boolean): void {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) throw new UsageError(`${path} is a file`, { hint: 'Name a new folder with -o.' });
  requireReplaceable(path, readdirSync(path), overwrite);
}

/** @throws UsageError unless a place has no files, or those of a dataset that may be replaced */
export function requireReplaceable(path: string, files: readonly string[], overwrite = false): void {
  if (files.length === 0) return;
  const hint = 'Name another one with -o';
  if (!files.includes(DESCRIPTOR))
    throw new UsageError(`${path} is not empty, and it is not a dataset`, { hint: `${hint}.` });
  if (!overwrite) throw new UsageError(`${path} has a dataset`, { hint: `${hint}, or replace it with --overwrite.` });
}

/** Renames a folder to a name that may belong to an earlier dataset, which is deleted. */
function replace(temporary: string, final: string): void {
  if (!existsSync(final)) return renameSync(temporary, final);
  if (readdirSync(final).length === 0) {
    rmdirSync(final);
    return renameSync(temporary, final);
  }
  const earlier = `${final}.${process.pid}.replaced`;
  renameSync(final, earlier);
  try {
    renameSync(temporary, final);
  } catch (error) {
    renameSync(earlier, final);
    throw error;
  }
  rmSync(earlier, { recursive: true, force: true });
}

async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r');
  // Some file systems cannot synchronise folders.
  await folder.sync().catch(() => undefined);
}

function explain<T>(path: string, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    throw new TrawlError(`cannot write ${path}: ${describeError(cause)}`, { cause });
  }
}
