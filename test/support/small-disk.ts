import { spawnSync } from 'node:child_process';
import { appendFileSync, mkdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { tempDir } from './temp.ts';

/** A disk of 32 MB; undefined where mounting is not permitted. */
export function mountSmallDisk(): string | undefined {
  const path = join(tempDir(), 'disk');
  mkdirSync(path);
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', path]).status !== 0) return undefined;
  onTestFinished(() => void spawnSync('umount', ['-l', path]));
  return path;
}

/** Writes until the disk takes no more, or has `leave` bytes left. */
export function fillDisk(file: string, leave = 0): void {
  for (const chunk of [1e6, 1e4, 100, 1])
    try {
      for (;;) appendFileSync(file, Buffer.alloc(chunk, 1));
    } catch {
      // Full, but for less than that.
    }
  truncateSync(file, statSync(file).size - leave);
}
