import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const stamp = join(root, 'dist', '.built');

/** Bundles `src` before the tests when it changed, so that `node bin/trawl.js` runs what is on disk. */
export function setup(): void {
  const startedAt = new Date();
  if (newest('src') <= builtAt()) return;
  const { status, stderr } = spawnSync('npm', ['run', '--silent', 'build'], { cwd: root, encoding: 'utf8' });
  if (status !== 0) throw new Error(`npm run build failed:\n${stderr}`);
  mkdirSync(join(root, 'dist'), { recursive: true });
  // What was changed during the build counts as newer than the build.
  writeFileSync(stamp, '');
  utimesSync(stamp, startedAt, startedAt);
}

/** When the newest of the sources was changed. */
function newest(directory: string): number {
  const files = readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' });
  const scripts = ['build.ts', 'build-web.ts', 'sbom.ts'].map((file) => join(root, 'scripts', file));
  const sources = [...files.map((file) => join(root, directory, file)), ...scripts];
  return Math.max(...sources.map((file) => statSync(file).mtimeMs));
}

function builtAt(): number {
  try {
    return statSync(stamp).mtimeMs;
  } catch {
    return 0;
  }
}
