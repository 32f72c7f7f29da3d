import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { MUTANTS } from './mutants/mutants.ts';

const src = resolve(import.meta.dirname, '../../src');

test.each(MUTANTS)('the planted bug "$name" has its place in the code', ({ file, edits }) => {
  for (const [from, to, other = file] of edits) {
    expect(readFileSync(join(src, other), 'utf8').split(from), `${other}: ${from}`).toHaveLength(2);
    expect(to).not.toBe(from);
  }
});
