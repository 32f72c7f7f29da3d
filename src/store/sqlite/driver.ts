import { createRequire } from 'node:module';
import type Database from 'better-sqlite3';
import { describeError, TrawlError } from '#base/errors.ts';

/**
 * The only module that loads SQLite: better-sqlite3 12 on Node 20, and 13 on Node 22 and newer, since neither runs on all
 * supported versions (decision 35). Nothing is loaded before the first connection.
 */

const NODE = Number(process.versions.node.split('.')[0]);

/** The package of the driver, by its name in package.json. */
const PACKAGE = NODE < 22 ? 'better-sqlite3' : 'better-sqlite3-13';

const HINT =
  NODE < 22
    ? 'Run `npm rebuild better-sqlite3` where trawl is installed, or install trawl again with install scripts enabled.'
    : 'Install trawl again with this version of Node, and with optional packages (not `--omit=optional`).';

// Not `import`: a bundler would resolve both packages.
const loadPackage = createRequire(import.meta.url);

let loaded: typeof Database | undefined;

/** Returns the driver for this version of Node. @throws TrawlError if it is not installed or does not load */
export function loadDriver(): typeof Database {
  return (loaded ??= checkDriver());
}

function checkDriver(): typeof Database {
  try {
    const driver = loadPackage(PACKAGE) as typeof Database;
    // The package loads its binary with the first connection.
    new driver(':memory:').close();
    return driver;
  } catch (cause) {
    const [why] = describeError(cause).split(/ Tried:|\n/);
    throw new TrawlError(`SQLite (${PACKAGE}) does not load on Node ${process.version}: ${why}`, { hint: HINT, cause });
  }
}

/** Opens a SQLite file. @throws TrawlError without a driver, SqliteError or TypeError if the file cannot be opened */
export const openConnection = (path: string, options?: Database.Options): Database.Database =>
  new (loadDriver())(path, options);
