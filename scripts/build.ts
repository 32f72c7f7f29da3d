import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { buildWeb } from './build-web.ts';
import { createSbom, type PackageManifest } from './sbom.ts';

/**
 * `npm run build`: bundles the command line, the library, the processes and the threads into dist/bundle, each with its
 * dependencies, so that a command reads a few files instead of a thousand; the front end of the dashboard into dist/web; and
 * writes the licences of the bundled packages, and a bill of materials.
 */

const root = resolve(import.meta.dirname, '..');

export const OUTPUT_FOLDER = join(root, 'dist/bundle');

const COMMON = {
  absWorkingDir: root,
  outdir: OUTPUT_FOLDER,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  format: 'esm',
  // An optional native addon of msgpackr, which works without it.
  external: ['msgpackr-extract'],
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} satisfies BuildOptions;

/** The command line, the library and the processes share most modules. */
export const PROGRAMS = {
  ...COMMON,
  entryPoints: [
    'src/cli/main.ts',
    'src/cli/interrupts.ts',
    'src/index.ts',
    'src/files/export/query/query-main.ts',
    'src/dashboard/server/reader/reader-main.ts',
    'src/lake/worker/ship-main.ts',
  ],
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  splitting: true,
  // Bundled CommonJS packages call `require` for modules of Node.
  banner: { js: `import{createRequire as requireOf}from'node:module';const require=requireOf(import.meta.url);` },
} satisfies BuildOptions;

/** Each thread loads one small file. */
const THREADS = {
  ...COMMON,
  entryPoints: [
    'src/store/staging/writer-thread.ts',
    'src/store/sqlite/wal-checkpoint-thread.ts',
    'src/ops/retention/retention-thread.ts',
    'src/files/export/query/query-guard-thread.ts',
  ],
  entryNames: '[name]',
} satisfies BuildOptions;

/** The files that the built-in queue's Lua engine reads from the folder of its module. */
const ENGINE_FILES = ['redis_lua.mjs', 'redis_lua.wasm'].map((name) => `node_modules/lua-redis-wasm/dist/${name}`);

/** Returns the folders of the packages that contain the inputs of a bundle, sorted. */
export const listBundledPackages = (inputs: Readonly<Record<string, object>>): string[] =>
  [
    ...new Set(Object.keys(inputs).flatMap((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file) ?? [])),
  ].toSorted();

/** Returns the modules whose code is in the output of a bundle: others were only read. */
export const listContainedModules = ({ outputs }: Metafile): Record<string, object> =>
  Object.fromEntries(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0),
    ),
  );

const readManifest = (folder: string): PackageManifest =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageManifest;

/** Returns the name, version and licence of a package, with the texts of its licence and third-party notices if it has them. */
function readLicense(folder: string): string {
  const { name, version, license } = readManifest(folder);
  const files = readdirSync(join(root, folder)).filter((each) => /^(licen[cs]e|third.party.notices)/i.test(each));
  const texts = files.map((file) => readFileSync(join(root, folder, file), 'utf8').trim());
  return `${name} ${version} (${license})\n\n${texts.join('\n\n') || license}\n`;
}

if (process.argv[1] === import.meta.filename) {
  rmSync(OUTPUT_FOLDER, { recursive: true, force: true });
  const [web, ...results] = await Promise.all([buildWeb(), build(PROGRAMS), build(THREADS)]);
  for (const file of ENGINE_FILES) copyFileSync(join(root, file), join(OUTPUT_FOLDER, basename(file)));
  const modules = [web, ...results.map(({ metafile }) => listContainedModules(metafile))];
  const packages = [...new Set(modules.flatMap(listBundledPackages))].toSorted();
  const licenses = packages.map(readLicense);
  writeFileSync(join(OUTPUT_FOLDER, 'LICENSES.txt'), licenses.join(`\n${'-'.repeat(80)}\n\n`));
  const sbom = createSbom(readManifest('.'), packages.map(readManifest));
  writeFileSync(join(OUTPUT_FOLDER, 'sbom.cdx.json'), `${JSON.stringify(sbom, null, 2)}\n`);
}
