import { closeSync, existsSync, openSync, realpathSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** The disk of a store, in bytes. `free` is what this user may still write. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** How much of a disk is to stay free: bytes, or a share of the whole. */
export type MinFreeSpace = { readonly bytes: number } | { readonly share: number };

const DEFAULT_BYTES = 500e6;
const DEFAULT_SHARE = 0.05;

/** The bytes to keep free: 500 MB by default, and no more than 5 % of the disk. */
export function minFreeBytes(setting: MinFreeSpace | undefined, total: number): number {
  if (setting === undefined) return Math.min(DEFAULT_BYTES, Math.floor(DEFAULT_SHARE * total));
  return 'bytes' in setting ? setting.bytes : Math.ceil(setting.share * total);
}

/** The disk with the file at `path`. @throws an error of the system. */
export function readDiskSpace(path: string): DiskSpace {
  const { bavail, blocks, bsize } = statfsSync(folderOf(path));
  return { free: bavail * bsize, total: blocks * bsize };
}

/** More than the pages that wait for one transaction usually take, and on small disks no more than this share. */
const TRIAL_BYTES = 16e6;
const TRIAL_SHARE = 0.05;
const CHUNK = Buffer.alloc(1e5, 1);

/** Whether some MB can be written beside the file at `path`: limits of a user, for one, are not among the free bytes. */
export function canWriteBeside(path: string): boolean {
  const file = `${resolve(path)}-space-${process.pid}`;
  let fd: number | undefined;
  try {
    fd = openSync(file, 'w', 0o600);
    const bytes = Math.min(TRIAL_BYTES, TRIAL_SHARE * readDiskSpace(path).total);
    for (let written = 0; written < bytes;) written += writeSync(fd, CHUNK);
    return true;
  } catch {
    return false;
  } finally {
    if (fd !== undefined) closeSync(fd);
    rmSync(file, { force: true });
  }
}

const folderOf = (path: string): string => dirname(existsSync(path) ? realpathSync(path) : resolve(path));
