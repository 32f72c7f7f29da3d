import { existsSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** The end of the temporary name of what a process writes beside its final name. */
export const temporarySuffix = (pid: number): string => `.${pid}.partial`;

/** What a process writes, or has left, beside a path. */
interface TemporaryFile {
  readonly path: string;
  readonly pid: number;
  readonly isFolder: boolean;
}

/** Returns the temporary files and folders of a path, of all processes, with those of SQLite. A symbolic link is followed. */
export function findTemporaryFiles(link: string): TemporaryFile[] {
  const path = existsSync(link) ? realpathSync(link) : link;
  return listFolder(dirname(path)).flatMap((entry) => {
    const [, pid, ending = ''] = /\.(\d+)\.partial(-journal|-wal|-shm)?$/.exec(entry.name) ?? [];
    if (pid === undefined || entry.name !== basename(path) + temporarySuffix(Number(pid)) + ending) return [];
    return [{ path: join(dirname(path), entry.name), pid: Number(pid), isFolder: entry.isDirectory() }];
  });
}

/** Deletes the temporary files and folders of a path whose processes have ended, but not those of another user. */
export function removeAbandonedFiles(link: string): void {
  for (const { path, pid } of findTemporaryFiles(link)) {
    if (isRunning(pid)) continue;
    try {
      rmSync(path, { recursive: true, force: true });
    } catch (error) {
      if (!['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    }
  }
}

function listFolder(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    // Creating the file reports the error.
    return [];
  }
}

/** Whether a process of this machine runs, also that of another user. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
