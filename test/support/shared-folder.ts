import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for what several test files share. */
    sharedFolder: string;
  }
}

/** Makes a folder before the tests, and removes it after them. */
export function setup(project: TestProject): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'trawl-tests-'));
  project.provide('sharedFolder', folder);
  return () => rmSync(folder, { recursive: true, force: true });
}
