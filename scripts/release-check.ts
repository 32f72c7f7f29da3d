import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { build } from 'esbuild';
import { listBundledPackages, listContainedModules, PROGRAMS } from './build.ts';
import { findIncompletePackages, findWrongEngines, type LockFile, readLockFile } from './lock-file.ts';

/**
 * `npm run release:check`: the checks before a release, besides the tests. Prints a line per check, and exits with code 1 if any
 * failed. A check that is not possible, such as an audit without a response from the registry, is reported as skipped.
 */

const root = resolve(import.meta.dirname, '..');

/** The problems that a check found, or the reason why it was skipped. */
export type CheckResult = readonly string[] | string;

interface Manifest {
  readonly version: string;
  readonly bin?: Readonly<Record<string, string>>;
  readonly types?: string;
  readonly exports?: unknown;
}

/** Licences that allow distribution under any terms, if the notice is kept. */
const LICENSES = [
  'MIT',
  'ISC',
  '0BSD',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'WTFPL',
  'Unlicense',
];

/**
 * Returns the packages, installed with trawl or bundled, whose licence is unknown or not accepted. Of `(A OR B)`, one is
 * enough. @param bundled the folders of bundled packages
 */
export function checkLicenses({ packages }: LockFile, bundled: readonly string[]): string[] {
  return Object.entries(packages).flatMap(([path, { license, integrity, dev, devOptional }]) => {
    const isDistributed = bundled.includes(path) || !(dev || devOptional);
    // The check of the lock file reports entries without an integrity, which have no licence either.
    if (path === '' || !isDistributed || integrity === undefined) return [];
    const accepted = license?.replaceAll(/[()]/g, '').split(' OR ') ?? [];
    return accepted.some((each) => LICENSES.includes(each)) ? [] : [`${path}: ${license ?? 'no licence'}`];
  });
}

export const checkLockFile = (lock: LockFile): string[] => [
  ...findIncompletePackages(lock).map((name) => `${name} has no integrity: npm run lockfile adds it`),
  ...findWrongEngines(lock).map((name) => `${name} has the wrong versions of Node: npm run lockfile corrects them`),
];

/** Files that the package must not contain. */
const PRIVATE =
  /(^|\/)(\.env(?!\.example$).*|.*\.db(-\w+)?|node_modules\/.*|\.git\/.*)$|^(test|bench|src|scripts|\.ci)\//;

/** Returns the files that the manifest names and the package lacks, and the files that it must not contain. */
export function checkPackedFiles(files: readonly string[], manifest: Manifest): string[] {
  const named = [...Object.values(manifest.bin ?? {}), manifest.types ?? [], listTargets(manifest.exports)].flat(2);
  const wanted = [...named.map((file) => file.replace(/^\.\//, '')), 'dist/bundle/main.js', 'LICENSE', 'README.md'];
  return [
    ...new Set(wanted.filter((file) => !file.includes('*') && !files.includes(file)).map((file) => `lacks ${file}`)),
    ...files.filter((file) => PRIVATE.test(file)).map((file) => `contains ${file}`),
    ...(files.some((file) => file.startsWith('migrations/')) ? [] : ['lacks the migrations']),
  ];
}

/** Returns the files of `exports`, for all conditions. */
function listTargets(exports: unknown): string[] {
  if (typeof exports === 'string') return [exports];
  return typeof exports === 'object' && exports !== null ? Object.values(exports).flatMap(listTargets) : [];
}

/** Checks that the newest section of the changelog is the version to release, with a date, and that [Unreleased] is empty. */
export function checkChangelog(changelog: string, version: string): string[] {
  const [unreleased, newest] = changelog.split(/^## /m).slice(1);
  if (!unreleased?.startsWith('[Unreleased]')) return ['its first section is not [Unreleased]'];
  const problems = unreleased.trim().includes('\n') ? ['[Unreleased] is not empty: move it to a version'] : [];
  const heading = newest?.split('\n')[0] ?? '';
  return /^\[(.+)\] - \d{4}-\d{2}-\d{2}$/.exec(heading)?.[1] === version
    ? problems
    : [...problems, `its newest version is "${heading}", and package.json has ${version}`];
}

const runNpm = (...args: string[]) => spawnSync('npm', args, { cwd: root, encoding: 'utf8', maxBuffer: 1e8 });

function listPackedFiles(): string[] {
  const { stdout, stderr, status } = runNpm('pack', '--dry-run', '--json', '--ignore-scripts');
  if (status !== 0) throw new Error(stderr);
  const packed = JSON.parse(stdout) as Record<string, { files: { path: string }[] }>;
  return Object.values(packed)[0]!.files.map(({ path }) => path);
}

/** Reads the output of `npm audit --json`. */
export function checkAudit(stdout: string): CheckResult {
  const answer = JSON.parse(stdout) as { vulnerabilities?: Record<string, { severity: string }>; message?: string };
  if (!answer.vulnerabilities) return `the registry does not answer: ${answer.message ?? 'no reason'}`;
  return Object.entries(answer.vulnerabilities).map(([name, { severity }]) => `${name}: ${severity}`);
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function main(): Promise<void> {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const lock = readLockFile();
  const bundled = listBundledPackages(listContainedModules((await build({ ...PROGRAMS, write: false })).metafile));
  const checks: Readonly<Record<string, () => CheckResult>> = {
    'package contents': () => checkPackedFiles(listPackedFiles(), manifest),
    licences: () => checkLicenses(lock, bundled),
    'lock file': () => checkLockFile(lock),
    changelog: () => checkChangelog(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'), manifest.version),
    audit: () => checkAudit(runNpm('audit', '--json').stdout),
  };
  for (const [name, check] of Object.entries(checks)) {
    const result = check();
    if (typeof result === 'string') {
      print(`${name}: skipped, ${result}`);
      continue;
    }
    print(`${name}: ${result.length === 0 ? 'passed' : 'FAILED'}`);
    for (const problem of result) print(`  ${problem}`);
    if (result.length > 0) process.exitCode = 1;
  }
}

if (process.argv[1] === import.meta.filename) await main();
