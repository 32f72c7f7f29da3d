import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { renderApiReference } from '../../scripts/api-reference.ts';
import { startS3Server } from '../ship/s3/s3-server.ts';
import { createTempDir } from '../support/temp.ts';

/**
 * The package as users get it: packed, and installed into an empty folder and globally. The install scripts are not run:
 * they would compile better-sqlite3 12 for a minute. On Node 20, its binary is that of this checkout.
 */

const root = resolve(import.meta.dirname, '../..');
const BINARY = 'better-sqlite3/build/Release/better_sqlite3.node';
const MAX_BYTES = 3_200_000;

/** What `npm run build` and `npm pack` read. */
const SOURCES = [
  'bin',
  'src',
  'scripts',
  'migrations',
  'faults',
  'jobs',
  'queries',
  'docs',
  'package.json',
  'README.md',
  'LICENSE',
  'CHANGELOG.md',
  'tsconfig.json',
  'tsconfig.types.json',
];

const directory = createTempDir();
const local = join(directory.path, 'local');
const prefix = join(directory.path, 'global');
const globalModules = join(prefix, 'lib/node_modules/trawl');
let tarball: string;
let packed: readonly string[];

beforeAll(() => {
  // A copy: packing empties dist, which other tests use meanwhile.
  const checkout = join(directory.path, 'checkout');
  for (const name of SOURCES) cpSync(join(root, name), join(checkout, name), { recursive: true });
  symlinkSync(join(root, 'node_modules'), join(checkout, 'node_modules'));
  const [{ filename, files }] = JSON.parse(readPackReport(run('npm', ['pack', '--json', '--silent'], checkout))) as [
    { filename: string; files: { path: string }[] },
  ];
  tarball = join(checkout, filename);
  packed = files.map(({ path }) => path);
  mkdirSync(local);
  writeFileSync(join(local, 'package.json'), JSON.stringify({ name: 'consumer', version: '1.0.0', type: 'module' }));
  const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', tarball];
  run('npm', install, local);
  run('npm', [...install, '--global', '--prefix', prefix], directory.path);
  if (!existsSync(join(root, 'node_modules', BINARY))) return;
  for (const modules of [join(local, 'node_modules'), join(globalModules, 'node_modules')]) {
    mkdirSync(join(modules, BINARY, '..'), { recursive: true });
    copyFileSync(join(root, 'node_modules', BINARY), join(modules, BINARY));
  }
}, 300_000);

afterAll(() => directory[Symbol.dispose]());

/** The document of `npm pack --json`, after the output of the build. */
const readPackReport = (output: string): string => output.slice(output.indexOf('[\n'));

/** Runs a program without the variables of this machine's trawl. Returns its stdout. */
function run(program: string, args: readonly string[], cwd: string, variables: Record<string, string> = {}): string {
  const { PATH, HOME, TMPDIR } = process.env; // oxlint-disable-line node/no-process-env -- npm needs its cache
  const env = Object.fromEntries(Object.entries({ PATH, HOME, TMPDIR }).filter(([, value]) => value !== undefined));
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, env: { ...env, ...variables }, encoding: 'utf8' });
  expect(status, `${program} ${args.join(' ')}\n${stdout}\n${stderr}`).toBe(0);
  expect(stderr).not.toMatch(/EBADENGINE/);
  return stdout;
}

/** Runs a program beside servers of this process. */
async function runAsync(program: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(program, args, { cwd: local, env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  return { code: code as number | null, stderr };
}

test('the package holds only what runs', () => {
  expect(statSync(tarball).size).toBeLessThan(MAX_BYTES);
  const folders = ['bin/', 'dist/', 'docs/', 'migrations/', 'faults/', 'jobs/', 'queries/'];
  const files = ['package.json', 'README.md', 'LICENSE', 'CHANGELOG.md'];
  expect(packed.filter((path) => !files.includes(path) && !folders.some((folder) => path.startsWith(folder)))).toEqual(
    [],
  );
  expect(packed.filter((path) => /\.map$|^dist\/test\/|\.tsbuildinfo$|(?<!\.d)\.ts$/.test(path))).toEqual([]);
  expect(packed).toEqual(
    expect.arrayContaining([
      ...files,
      'bin/trawl.js',
      'dist/bundle/index.js',
      'dist/types/index.d.ts',
      'migrations/meta/_journal.json',
      'jobs/job.schema.json',
      'faults/plan.schema.json',
      'queries/mutual-follows.sql',
      'dist/bundle/writer-thread.js',
      'dist/bundle/query-main.js',
      'dist/bundle/reader-main.js',
      'dist/web/index.html',
      'dist/bundle/query-guard-thread.js',
      'dist/bundle/redis_lua.wasm',
      'dist/bundle/LICENSES.txt',
      'dist/bundle/sbom.cdx.json',
    ]),
  );
});

describe.each([
  ['in a folder', local, join(local, 'node_modules/.bin/trawl')],
  ['globally', directory.path, join(prefix, 'bin/trawl')],
])('installed %s', (_, cwd, trawl) => {
  test('the command line runs', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
    expect(run(trawl, ['--version'], cwd)).toBe(`${version}\n`);
    const { findings } = JSON.parse(run(trawl, ['doctor', '--json'], cwd)) as { findings: { status: string }[] };
    expect(findings.map(({ status }) => status)).not.toContain('error');
  });
});

test('keys of a lake come from the package of the vendor, if it is installed', async () => {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...env } = (await startS3Server()).env;
  const add = ['lake', 'add', 's3://lake/all', '--db', join(directory.path, 'mine.db')];
  const trawl = join(local, 'node_modules/trawl/bin/trawl.js');
  const without = await runAsync(process.execPath, [trawl, ...add], env);
  expect(without).toMatchObject({ code: 1, stderr: expect.stringContaining('install @aws-sdk/credential-providers') });
  const folder = join(local, 'node_modules/@aws-sdk/credential-providers');
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: '@aws-sdk/credential-providers', main: 'index.cjs' }),
  );
  const keys = { accessKeyId: AWS_ACCESS_KEY_ID, secretAccessKey: AWS_SECRET_ACCESS_KEY };
  writeFileSync(
    join(folder, 'index.cjs'),
    `exports.fromNodeProviderChain = () => async () => {
       if (process.env.AWS_PROFILE === 'mine') return ${JSON.stringify(keys)};
       throw new Error('Could not load credentials from any providers');
     };`,
  );
  expect(await runAsync(process.execPath, [trawl, ...add], env)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there are no AWS keys: Could not load credentials'),
  });
  expect(await runAsync(process.execPath, [trawl, ...add], { ...env, AWS_PROFILE: 'mine' })).toMatchObject({ code: 0 });
});

test('the demo runs', () => {
  const demo = ['demo', '--dir', 'demo', '--users', '60'];
  expect(run(join(local, 'node_modules/.bin/trawl'), demo, local)).toContain('The demo took');
});

/** A program that uses the package, without `skipLibCheck`: a type that is not in the package is an error. */
const PROGRAM = `import { createWriteStream } from 'node:fs';
import { crawl, openStore, serve } from 'trawl';

const world = openStore('demo/world.db');
const twin = await serve({ store: world });
await using store = openStore('mine.db', { create: true });
const service = { url: twin.url, key: twin.createKey({ name: 'test' }) };
const run = crawl({ kind: 'profile', targets: ['HarbourNews'], into: store, service });
const { crawls, isComplete } = await run.done;
const [row] = store.query('select screen_name from users');
createWriteStream('result.json').end(JSON.stringify({ states: crawls.map(({ state }) => state), isComplete, row }));
await world.close();
`;

describe('the library', () => {
  test('is typed, runs, and keeps no process alive', () => {
    const examples = readFileSync(join(root, 'test/library/examples.ts'), 'utf8');
    writeFileSync(join(local, 'examples.ts'), examples.replaceAll('#index.ts', 'trawl'));
    writeFileSync(join(local, 'program.ts'), PROGRAM);
    const typeRoots = [join(root, 'node_modules/@types')];
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2022',
      lib: ['es2023', 'esnext.disposable'],
      rootDir: '.',
      outDir: 'out',
      types: ['node'],
      typeRoots,
      exactOptionalPropertyTypes: true,
    };
    const include = ['program.ts', 'examples.ts'];
    writeFileSync(join(local, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
    run(join(root, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.json'], local);
    // Variables that the command line would refuse: the library does not read them.
    const variables = { TRAWL_API_URL: 'nowhere', TRAWL_RESERVE: 'much' };
    expect(run(process.execPath, ['out/program.js'], local, variables)).toBe('');
    expect(JSON.parse(readFileSync(join(local, 'result.json'), 'utf8'))).toEqual({
      states: ['complete'],
      isComplete: true,
      row: { screen_name: 'HarbourNews' },
    });
  });

  test('exports nothing but its interface', () => {
    const attempt = "import('trawl/dist/bundle/main.js').catch(({ code }) => process.stdout.write(code))";
    expect(run(process.execPath, ['--eval', attempt], local)).toBe('ERR_PACKAGE_PATH_NOT_EXPORTED');
  });

  test('has a reference of all its exports', () => {
    const types = join(local, 'node_modules/trawl/dist/types');
    const examples = readFileSync(join(root, 'test/library/examples.ts'), 'utf8');
    expect(readFileSync(join(root, 'docs/reference/api.md'), 'utf8')).toBe(renderApiReference(types, examples));
  });
});
