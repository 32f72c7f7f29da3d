import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type Plugin } from 'vite';

const root = resolve(import.meta.dirname, '..');

/**
 * Builds the front end of the dashboard into dist/web, with a brotli copy of each file. Returns the bundled modules by their paths.
 */
export async function buildWeb(): Promise<Record<string, object>> {
  const modules = new Set<string>();
  // A worker is a build of its own, and has its own plugins.
  const collector: Plugin = {
    name: 'collect-modules',
    generateBundle(_, bundle) {
      for (const chunk of Object.values(bundle))
        if (chunk.type === 'chunk') for (const id of Object.keys(chunk.modules)) modules.add(id);
    },
  };
  await build({
    configFile: join(root, 'src/dashboard/web/vite.config.ts'),
    logLevel: 'warn',
    plugins: [collector],
    worker: { plugins: () => [collector] },
  });
  const folder = join(root, 'dist/web/assets');
  await Promise.all(readdirSync(folder).map((name) => compressFile(join(folder, name))));
  return Object.fromEntries([...modules].map((id) => [relative(root, id), {}]));
}

async function compressFile(path: string): Promise<void> {
  const body = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(body, { params }));
}
