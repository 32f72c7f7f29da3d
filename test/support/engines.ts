import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

/** What a few slow tests need, and what is too large for a dependency: `npm run engines:install` installs it. */

const PACKAGES = resolve(import.meta.dirname, '../../.engines/node_modules');

export const areEnginesInstalled = (): boolean => existsSync(PACKAGES);

/** Loads a package. @throws if it is not installed */
export function loadEngine(name: string): unknown {
  if (!areEnginesInstalled()) throw new Error(`${name} is not installed: npm run engines:install`);
  return createRequire(`${PACKAGES}/`)(name);
}
