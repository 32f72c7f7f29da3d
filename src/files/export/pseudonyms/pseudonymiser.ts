import { createHmac, createSecretKey, randomBytes } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, resolve, sep } from 'node:path';
import { describeError, TrawlError, UsageError } from '#base/errors.ts';
import { foldHandle } from '#base/text.ts';

/** What a pseudonym stands for, with its first letter. */
const PREFIXES = {
  account: 'a',
  handle: 'h',
  tweet: 't',
  community: 'c',
  list: 'l',
  search: 's',
  hashtag: 'g',
  /** The address, or the host, of a link. */
  link: 'u',
  /** The number of a crawl in the store. */
  crawl: 'k',
  job: 'j',
  panel: 'p',
} as const;

/** A kind of name of a person, or of something that leads to one. */
export type IdentityKind = keyof typeof PREFIXES;

export const isIdentity = (text: string): text is IdentityKind => Object.hasOwn(PREFIXES, text);

/** Replaces identities by pseudonyms, which nobody can reverse or recompute without the key. */
interface Pseudonymiser {
  /** Names the key, and says nothing about it: equal fingerprints mean that pseudonyms join. */
  readonly fingerprint: string;
  /** Returns the pseudonym of an identity. Handles have one pseudonym in any case. */
  of(identity: IdentityKind, value: string): string;
}

/** The length of a key, in bytes. */
const KEY_BYTES = 32;

/**
 * The length of the hash in a pseudonym, in bytes. Among n identities, two have the same pseudonym with a probability of at
 * most n² / 2⁹⁷: 6·10⁻¹² for a billion (decision 57).
 */
const HASH_BYTES = 12;

/** The pseudonyms of an identity that are kept, since accounts are repeated, in two generations each. */
const KEPT_PSEUDONYMS = 10_000;

/**
 * The digits of a hash: no digit and no vowel, so that a pseudonym is neither read as a number nor contains an id or a word by
 * chance.
 */
const DIGITS = Buffer.from('bcdfghjklmnpqrst');

/** Creates the pseudonymiser of a key. Equal keys give equal pseudonyms; those of other keys have nothing in common. */
export function createPseudonymiser(key: Uint8Array): Pseudonymiser {
  const hmacKey = createSecretKey(key);
  const computeHmac = (text: string): Buffer => createHmac('sha256', hmacKey).update(text).digest();
  const caches = new Map<IdentityKind, Cache>();
  const compute = (identity: IdentityKind, value: string): string =>
    // A handle and the id of its account have independent hashes: neither leads to the other.
    formatPseudonym(identity, computeHmac(`${identity}:${identity === 'handle' ? foldHandle(value) : value}`));
  return {
    // No identity is hashed with this word before it.
    fingerprint: computeHmac('fingerprint').toString('hex', 0, 8),
    of(identity, value) {
      let cache = caches.get(identity);
      if (!cache) caches.set(identity, (cache = { recent: new Map(), earlier: new Map() }));
      const known = cache.recent.get(value) ?? cache.earlier.get(value);
      if (known !== undefined) return known;
      const pseudonym = compute(identity, value);
      if (cache.recent.size >= KEPT_PSEUDONYMS) [cache.earlier, cache.recent] = [cache.recent, new Map()];
      cache.recent.set(value, pseudonym);
      return pseudonym;
    },
  };
}

/** Pseudonyms by the value that they stand for. */
interface Cache {
  recent: Map<string, string>;
  earlier: Map<string, string>;
}

/** The memory of a hash in letters. */
const letters = Buffer.alloc(2 * HASH_BYTES);

function formatPseudonym(identity: IdentityKind, hashed: Buffer): string {
  for (let i = 0; i < HASH_BYTES; i += 1) {
    letters[2 * i] = DIGITS[hashed[i]! >> 4]!;
    letters[2 * i + 1] = DIGITS[hashed[i]! & 15]!;
  }
  return `${PREFIXES[identity]}_${letters.toString('latin1')}`;
}

const WORD = String.raw`[\p{L}\p{M}\p{N}_]+`;

/**
 * What names people or leads to them: addresses of mail and of the web (also without a scheme), mentions, and numbers as
 * long as ids. More than that is replaced rather than less. Each part begins where no earlier character could, so that the
 * cost is linear in the length.
 */
const REFERENCES = new RegExp(
  [
    String.raw`(?<address>(?<![^\s@])[^\s@]+@[^\s@.]+\.[^\s@]+|(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*:\/\/\S*|(?<![\p{L}\p{N}.-])(?:[\p{L}\p{N}][\p{L}\p{N}-]*\.)+\p{L}{2,}(?:[/?#:]\S*)?)`,
    String.raw`[@＠](?<handle>${WORD})(?:[.-]${WORD})*`,
    String.raw`(?<number>\p{Nd}{7,})`,
  ].join('|'),
  'giu',
);

/**
 * Returns a text with pseudonyms in place of mentions, and without addresses and long numbers. Names of people and rare
 * words remain.
 */
export const redactText = (text: string, pseudonymiser: Pseudonymiser): string =>
  text.replace(REFERENCES, (...match) => {
    const { address, handle } = match.at(-1) as Readonly<Record<string, string | undefined>>;
    if (address !== undefined) return '[address]';
    return handle === undefined ? '[number]' : `@${pseudonymiser.of('handle', handle)}`;
  });

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
