import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/**
 * `npm run lockfile`: completes package-lock.json after a change of dependencies. npm leaves out the integrity of packages for
 * other platforms where its registry does not have them.
 */

export interface LockEntry {
  readonly version?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly engines?: Readonly<Record<string, string>>;
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly link?: boolean;
}

export interface LockFile {
  readonly packages: Readonly<Record<string, LockEntry>>;
}

/**
 * The versions of Node that the lock file declares for a package instead of the package's own; undefined: all. The packages of
 * the built-in queue declare Node 22 but run on Node 20, where all tests use them; `npm ci` would warn about them.
 * better-sqlite3 12 is for Node 20 only (decision 35): since it is optional, `npm ci` skips it on other versions.
 */
export const NODE_VERSIONS: Readonly<Record<string, string | undefined>> = {
  'js-redis-server': undefined,
  'lua-redis-wasm': undefined,
  'better-sqlite3': '<22',
};

export const LOCK_FILE = join(resolve(import.meta.dirname, '..'), 'package-lock.json');

export const readLockFile = (file = LOCK_FILE): LockFile => JSON.parse(readFileSync(file, 'utf8')) as LockFile;

/** Returns the entries without an integrity, as `name@version`. */
export const findIncompletePackages = ({ packages }: LockFile): string[] =>
  Object.entries(packages).flatMap(([path, entry]) => (isIncomplete(path, entry) ? [formatPackage(path, entry)] : []));

/** Returns the packages whose versions of Node in the lock file differ from `NODE_VERSIONS`. */
export const findWrongEngines = ({ packages }: LockFile): string[] =>
  Object.entries(NODE_VERSIONS).flatMap(([name, node]) => {
    const entry = packages[`node_modules/${name}`];
    return entry === undefined || entry.engines?.['node'] === node ? [] : [name];
  });

/** Returns the integrity and licence of a package in the registry; undefined if the registry has no integrity. */
export type PackageLookup = (
  nameAndVersion: string,
) => Promise<{ readonly integrity: string; readonly license?: string | undefined } | undefined>;

/** Adds the missing integrities and licences that `lookUp` finds, and sets `engines` to `NODE_VERSIONS`. */
export async function completeLockFile(lock: LockFile, lookUp: PackageLookup): Promise<LockFile> {
  const packages: Record<string, LockEntry> = { ...lock.packages };
  for (const [path, entry] of Object.entries(packages)) {
    if (!isIncomplete(path, entry)) continue;
    const found = await lookUp(formatPackage(path, entry));
    if (!found) continue;
    const { version, ...rest } = entry;
    packages[path] = {
      ...(version === undefined ? {} : { version }),
      integrity: found.integrity,
      ...(found.license === undefined ? {} : { license: found.license }),
      ...rest,
    };
  }
  for (const name of findWrongEngines(lock)) {
    const { engines: _, ...rest } = packages[`node_modules/${name}`]!;
    const node = NODE_VERSIONS[name];
    packages[`node_modules/${name}`] = node === undefined ? rest : { ...rest, engines: { node } };
  }
  return { ...lock, packages };
}

const isIncomplete = (path: string, { integrity, link }: LockEntry): boolean =>
  path !== '' && link !== true && integrity === undefined;

const formatPackage = (path: string, { version }: LockEntry): string =>
  `${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version ?? ''}`;

/** Looks a package up in the registry that npm is configured for. */
const viewPackage: PackageLookup = async (nameAndVersion) => {
  try {
    const args = ['view', nameAndVersion, 'dist.integrity', 'license', '--json'];
    const { stdout } = await promisify(execFile)('npm', args);
    const found = JSON.parse(stdout) as { 'dist.integrity'?: string; license?: string };
    const integrity = found['dist.integrity'];
    return integrity === undefined ? undefined : { integrity, license: found.license };
  } catch {
    return undefined;
  }
};

if (process.argv[1] === import.meta.filename) {
  const [file = LOCK_FILE] = process.argv.slice(2);
  const lock = await completeLockFile(readLockFile(file), viewPackage);
  writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
  const missing = findIncompletePackages(lock);
  for (const name of missing) process.stderr.write(`${name}: the registry has no integrity\n`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
