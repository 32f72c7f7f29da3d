import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

const main = resolve(import.meta.dirname, '../../dist/cli/main.js');

/** The packages that are loaded before it is known which command is meant, and by which of our files. */
function loadedBy(file: string, seen = new Map<string, string>()): Map<string, string> {
  for (const [, name] of readFileSync(file, 'utf8').matchAll(
    /^(?:import|export)\s(?:[\w*{},\s]+\sfrom\s)?'([^']+)';/gm,
  )) {
    const path = name!.startsWith('.') ? resolve(dirname(file), name!) : name!;
    if (name!.startsWith('node:') || seen.has(path)) continue;
    seen.set(path, file);
    if (path !== name) loadedBy(path, seen);
  }
  return seen;
}

test('the start loads only the command line, not the commands', () => {
  const loaded = [...loadedBy(main)];
  expect(loaded.length).toBeGreaterThan(20);
  expect(loaded.filter(([path]) => !path.startsWith('/'))).toEqual([['commander', expect.any(String)]]);
});
