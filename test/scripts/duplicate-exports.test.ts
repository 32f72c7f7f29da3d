import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { duplicateExports } from '../../scripts/duplicate-exports.ts';
import { tempDir } from '../support/temp.ts';

function duplicatesOf(files: Readonly<Record<string, string>>): [string, readonly string[]][] {
  const folder = tempDir();
  for (const [name, source] of Object.entries(files)) writeFileSync(join(folder, name), source);
  return [...duplicateExports(folder)];
}

test('a name that two files declare and export is listed with both files', () => {
  const found = duplicatesOf({
    'a.ts': 'export interface Outcome {}\nexport const judge = () => 1;\nexport class Only {}\n',
    'b.ts': 'export type Outcome = string;\nasync function judge() {}\nexport { judge };\n',
    'c.ts': 'const other = 1;\nexport { other as Outcome };\nconst Only = 1;\nvoid Only;\n',
  });
  expect(found).toEqual([
    ['Outcome', ['a.ts', 'b.ts', 'c.ts']],
    ['judge', ['a.ts', 'b.ts']],
  ]);
});

test('a re-export, and a value and a type of one name in one file, are no duplicates', () => {
  const found = duplicatesOf({
    'a.ts': 'export const Size = 1;\nexport type Size = number;\nexport function run() {}\n',
    'b.ts': "export { Size } from './a.ts';\nexport type { Size as Length } from './a.ts';\nexport * from './a.ts';\n",
    'c.ts': "import { run } from './a.ts';\nexport { run };\n",
  });
  expect(found).toEqual([]);
});
