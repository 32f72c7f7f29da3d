import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { build, type Rolldown } from 'vite';

const root = resolve(import.meta.dirname, '..');

/**
 * Builds the front end of the dashboard into dist/web, with a brotli copy of each file. Returns the bundled modules, as the inputs of a metafile of esbuild.
 */
export async function buildWeb(): Promise<Record<string, object>> {
  const result = (await build({ configFile: join(root, 'src/web/vite.config.ts'), logLevel: 'warn' })) as
    | Rolldown.RolldownOutput
    | Rolldown.RolldownOutput[];
  const folder = join(root, 'dist/web/assets');
  await Promise.all(readdirSync(folder).map((name) => compressFile(join(folder, name))));
  const chunks = [result].flat().flatMap(({ output }) => output);
  const modules = chunks.flatMap((chunk) => ('modules' in chunk ? Object.keys(chunk.modules) : []));
  return Object.fromEntries(modules.map((id) => [relative(root, id), {}]));
}

async function compressFile(path: string): Promise<void> {
  const body = readFileSync(path);
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  writeFileSync(`${path}.br`, await promisify(brotliCompress)(body, { params }));
}
