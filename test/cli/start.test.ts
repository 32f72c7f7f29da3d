import { build } from 'esbuild';
import { expect, test } from 'vitest';
import { listBundledPackages, PROGRAMS } from '../../scripts/build.ts';

test('the start of the command line loads no package but commander, and no command', async () => {
  const { outputs } = (await build({ ...PROGRAMS, write: false })).metafile;
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { path, kind, external } of outputs[file]!.imports)
      if (kind === 'import-statement' && !external) load(path);
  };
  load('dist/bundle/main.js');
  const inputs = Object.assign({}, ...[...loaded].map((file) => outputs[file]!.inputs)) as Record<string, object>;
  expect(listBundledPackages(inputs)).toEqual(['node_modules/commander']);
  expect(Object.keys(inputs)).toContain('src/cli/program.ts');
  expect(Object.keys(inputs).filter((file) => /^src\/cli\/.+\/run.ts$/.test(file))).toEqual([]);
  const external = [...loaded].flatMap((file) => outputs[file]!.imports.filter((each) => each.external));
  expect(external.filter(({ path, kind }) => kind === 'import-statement' && !path.startsWith('node:'))).toEqual([]);
});
