import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the installed package, whatever depth the running file has: source, compiled or bundled. */
export const PACKAGE_ROOT = findPackageRoot(dirname(fileURLToPath(import.meta.url)));

/** The version of trawl. */
export const VERSION = (JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string })
  .version;

function findPackageRoot(folder: string): string {
  return existsSync(join(folder, 'migrations')) ? folder : findPackageRoot(dirname(folder));
}
