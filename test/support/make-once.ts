import { accessSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject, vi } from 'vitest';

/** Fills a folder in the first test file of a run that asks for it; the others wait. Returns the folder. */
export async function makeOnce(name: string, fill: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('sharedFolder'), name);
  const finished = join(folder, 'finished');
  try {
    mkdirSync(folder);
  } catch {
    await vi.waitFor(() => accessSync(finished), { timeout: 240_000, interval: 100 });
    return folder;
  }
  await fill(folder);
  writeFileSync(finished, '');
  return folder;
}
