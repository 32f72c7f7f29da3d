import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { describe, expect, test } from 'vitest';
import { listBundledPackages, PROGRAMS } from '../../scripts/build.ts';
import { runProcess } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

describe('the command line', async () => {
  const { outputs } = (await build({ ...PROGRAMS, write: false })).metafile;

  /** The files of the bundle that are loaded with one of them. */
  function loadWith(first: string): string[] {
    const loaded = new Set<string>();
    const load = (file: string): void => {
      if (loaded.has(file)) return;
      loaded.add(file);
      for (const { path, kind, external } of outputs[file]!.imports)
        if (kind === 'import-statement' && !external) load(path);
    };
    load(first);
    return [...loaded];
  }
  const inputsOf = (files: readonly string[]) =>
    Object.assign({}, ...files.map((file) => outputs[file]!.inputs)) as Record<string, object>;

  test('loads no package but commander at its start, and no command', () => {
    const loaded = loadWith('dist/bundle/main.js');
    const inputs = inputsOf(loaded);
    expect(listBundledPackages(inputs)).toEqual(['node_modules/commander']);
    expect(Object.keys(inputs)).toContain('src/cli/program.ts');
    expect(Object.keys(inputs).filter((file) => /^src\/cli\/.+\/run.ts$/.test(file))).toEqual([]);
    const external = loaded.flatMap((file) => outputs[file]!.imports.filter((each) => each.external));
    expect(external.filter(({ path, kind }) => kind === 'import-statement' && !path.startsWith('node:'))).toEqual([]);
  });

  test('loads neither a command nor a format with the process of a statement', () => {
    const inputs = inputsOf(loadWith('dist/bundle/query-main.js'));
    expect(listBundledPackages(inputs)).toEqual(['node_modules/drizzle-orm']);
    expect(Object.keys(inputs)).toContain('src/files/export/query/export-query.ts');
    expect(Object.keys(inputs).filter((file) => file.startsWith('src/cli/'))).toEqual([]);
    const command = Object.entries(outputs).find(([, each]) => 'src/cli/sql/run.ts' in each.inputs)![0];
    expect(listBundledPackages(inputsOf(loadWith(command)))).not.toContain('node_modules/drizzle-orm');
  });

  test.each(['status/run', 'crawls/list', 'crawls/show', 'coverage/run', 'plan/run', 'schedule/list'])(
    'loads neither a client nor a queue for %s',
    (name) => {
      const found = Object.entries(outputs).filter(([, { inputs }]) => `src/cli/${name}.ts` in inputs);
      expect(found.length).toBe(1);
      const packages = listBundledPackages(inputsOf(loadWith(found[0]![0])));
      expect(packages).toContain('node_modules/drizzle-orm');
      expect(packages.filter((each) => /(undici|bullmq|ioredis|fastify|typebox|luxon)$/.test(each))).toEqual([]);
    },
  );
});

test('compiled code is kept in the home of the user on Node 22 and newer, and a home is not needed', async () => {
  const home = tempDir();
  expect(await runProcess(['--version'], { env: { HOME: home } })).toMatchObject({ code: 0 });
  const canKeep = Number(process.versions.node.split('.')[0]) >= 22;
  expect(existsSync(join(home, '.cache', 'trawl'))).toBe(canKeep);
  const withoutHome = await runProcess(['--version'], { env: { HOME: '/dev/null' } });
  expect(withoutHome).toMatchObject({ code: 0, stderr: '' });
});
