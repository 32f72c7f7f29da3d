import { randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { describeError, TrawlError, UsageError } from '../../../base/errors.ts';
import { KEY_BYTES } from './pseudonymiser.ts';

export interface KeyFile {
  readonly key: Uint8Array;
  /** Whether the file did not exist before. */
  readonly isNew: boolean;
}

/**
 * Reads the key of pseudonyms. Creates the file with a random key if it is missing, readable by its owner only.
 * @throws UsageError for a file that others may read, or that has no key; TrawlError if it cannot be created or read
 */
export function openKeyFile(path: string): KeyFile {
  const isNew = statSync(path, { throwIfNoEntry: false }) === undefined && createKeyFile(path);
  return { key: readKey(path), isNew };
}

/** Returns whether the file was created: another process may do so at the same time. */
function createKeyFile(path: string): boolean {
  const temporary = `${path}.${process.pid}.partial`;
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(temporary, `${randomBytes(KEY_BYTES).toString('hex')}\n`, { mode: 0o600, flush: true });
    // A link, unlike a rename, replaces no file.
    linkSync(temporary, path);
    return true;
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw new TrawlError(`cannot create the key ${path}: ${describeError(cause)}`, { cause });
  } finally {
    rmSync(temporary, { force: true });
  }
}

/** The permissions of the group and of all others. */
const OTHERS = 0o077;

function readKey(path: string): Uint8Array {
  const { text, mode } = read(path);
  // Windows has no such permissions.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0) {
    throw new UsageError(`others may read the key ${path}`, {
      hint: `Run \`chmod 600 ${path}\`; if others may have read it, use a new key.`,
    });
  }
  if (!new RegExp(`^[0-9a-f]{${2 * KEY_BYTES}}\\s*$`, 'i').test(text)) {
    throw new UsageError(`${path} is no key: it should have ${2 * KEY_BYTES} hexadecimal digits`, {
      hint: 'Name a file that does not exist with --key-file, and it will be created.',
    });
  }
  return Buffer.from(text.trim(), 'hex');
}

function read(path: string): { text: string; mode: number } {
  try {
    return { text: readFileSync(path, 'utf8'), mode: statSync(path).mode };
  } catch (cause) {
    throw new TrawlError(`cannot read the key ${path}: ${describeError(cause)}`, { cause });
  }
}

/**
 * @param output the file or the folder that is written @throws UsageError if the key is in the folder, or beside the file:
 * people share folders
 */
export function requireKeyElsewhere(
  keyFile: string,
  output: { readonly path: string; readonly isFolder: boolean },
): void {
  const key = toRealPath(keyFile);
  const target = toRealPath(output.path);
  const isInside = output.isFolder ? key.startsWith(target + sep) : dirname(key) === dirname(target);
  if (!isInside) return;
  throw new UsageError(`the key ${keyFile} is in the folder of the export, and would be shared with it`, {
    hint: 'Name another file with --key-file.',
  });
}

/** The path without symbolic links, also of a file that does not exist yet. */
function toRealPath(path: string): string {
  const absolute = resolve(path);
  try {
    return realpathSync(absolute);
  } catch {
    const parent = dirname(absolute);
    return parent === absolute
      ? absolute
      : resolve(toRealPath(parent), absolute.slice(parent.length).replace(/^[/\\]+/, ''));
  }
}
