import { closeSync, existsSync, openSync, realpathSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { TrawlError } from '#base/errors.ts';
import { formatBytes } from '#base/units.ts';

/** The size of a disk, in bytes, and the free space for this user. */
export interface DiskSpace {
  readonly free: number;
  readonly total: number;
}

/** The space to keep free: in bytes, or as a share of the disk. */
export type MinFreeSpace = { readonly bytes: number } | { readonly share: number };

const DEFAULT_BYTES = 500e6;
const DEFAULT_SHARE = 0.05;

/** Returns the bytes to keep free: by default 500 MB, but not more than 5 % of the disk. */
export function minFreeBytes(setting: MinFreeSpace | undefined, total: number): number {
  if (setting === undefined) return Math.min(DEFAULT_BYTES, Math.floor(DEFAULT_SHARE * total));
  return 'bytes' in setting ? setting.bytes : Math.ceil(setting.share * total);
}

/** Reads the space of the disk with the file at `path`. @throws an error of the system */
export function readDiskSpace(path: string): DiskSpace {
  const folder = dirname(existsSync(path) ? realpathSync(path) : resolve(path));
  const { bavail, blocks, bsize } = statfsSync(folder);
  return { free: bavail * bsize, total: blocks * bsize };
}

/** The free bytes of a store's disk, and their minimum. Without figures of the system, only failed writes show a full disk. */
export function readFreeSpace(path: string, setting: MinFreeSpace | undefined): { free: number; minFree: number } {
  try {
    const { free, total } = readDiskSpace(path);
    return { free, minFree: minFreeBytes(setting, total) };
  } catch {
    return { free: Infinity, minFree: 0 };
  }
}

/** @throws TrawlError if the disk with the file at `path` has less free space than `needed` bytes */
export function requireSpace(what: string, { path, needed, hint, readDisk = readDiskSpace }: SpaceRequirement): void {
  const { free } = readDisk(path);
  if (free >= needed) return;
  throw new TrawlError(`not enough space for the ${what}: ${formatBytes(needed)} needed, ${formatBytes(free)} free`, {
    hint,
  });
}

interface SpaceRequirement {
  readonly path: string;
  readonly needed: number;
  readonly hint: string;
  readonly readDisk?: ((path: string) => DiskSpace) | undefined;
}

/** More than the pages of one transaction usually take; on small disks, not more than this share. */
const TRIAL_BYTES = 16e6;
const TRIAL_SHARE = 0.05;
const CHUNK = Buffer.alloc(1e5, 1);

/** Whether some MB can be written beside the file at `path`. Quotas of users, for example, do not change the free bytes. */
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
