import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A new directory that is removed when it is disposed of. */
export function createTempDir(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'trawl-test-')));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** A new directory that is removed when the test ends. */
export function tempDir(): string {
  const directory = createTempDir();
  onTestFinished(() => directory[Symbol.dispose]());
  return directory.path;
}

/** The path of a file that does not exist yet, in a directory of its own. */
export const tempFile = (name: string): string => join(tempDir(), name);
