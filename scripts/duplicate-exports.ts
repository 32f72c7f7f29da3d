import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** `npm run names`: lists exported names of src that have several declarations. Exits with 1 if there are any. */

const root = resolve(import.meta.dirname, '..');

/** The names that a source file declares and exports, without re-exports. */
export function declaredExports(source: string): string[] {
  const { module } = parseSync('file.ts', source);
  const imported = new Set(
    module.staticImports.flatMap(({ entries }) => entries.map(({ localName }) => localName.value)),
  );
  const entries = module.staticExports.flatMap((statement) => statement.entries);
  const own = entries.filter(({ moduleRequest, localName }) => !moduleRequest && !imported.has(localName.name ?? ''));
  return [...new Set(own.flatMap(({ exportName }) => exportName.name ?? []))];
}

/** The names that several TypeScript files below `folder` declare and export, with these files, in order of name. */
export function duplicateExports(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const byName = new Map<string, string[]>();
  for (const file of files.toSorted()) {
    for (const name of declaredExports(readFileSync(join(folder, file), 'utf8'))) {
      byName.set(name, [...(byName.get(name) ?? []), file]);
    }
  }
  return new Map([...byName].filter(([, found]) => found.length > 1).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

if (process.argv[1] === import.meta.filename) {
  const folder = join(root, 'src');
  const duplicates = duplicateExports(folder);
  for (const [name, files] of duplicates) {
    process.stdout.write(`${name}: ${files.map((file) => join(relative(root, folder), file)).join(', ')}\n`);
  }
  process.stderr.write(`${duplicates.size} exported names have more than one declaration\n`);
  if (duplicates.size > 0) process.exitCode = 1;
}
