import { hash } from 'node:crypto';
import { foldHandle } from '../../../base/text.ts';

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
export interface Pseudonymiser {
  /** Names the key, and says nothing about it: equal fingerprints mean that pseudonyms join. */
  readonly fingerprint: string;
  /** Returns the pseudonym of an identity. Handles have one pseudonym in any case. */
  of(identity: IdentityKind, value: string): string;
}

/** The length of a key, in bytes. */
export const KEY_BYTES = 32;

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
  const computeHmac = createHmacFunction(key);
  const caches = new Map<IdentityKind, Cache>();
  const compute = (identity: IdentityKind, value: string): string =>
    // A handle and the id of its account have independent hashes: neither leads to the other.
    formatPseudonym(identity, computeHmac(`${identity}:${identity === 'handle' ? foldHandle(value) : value}`));
  return {
    // No identity is hashed with this word before it.
    fingerprint: Buffer.from(computeHmac('fingerprint'), 'latin1').toString('hex', 0, 8),
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

function formatPseudonym(identity: IdentityKind, hashed: string): string {
  for (let i = 0; i < HASH_BYTES; i += 1) {
    const byte = hashed.charCodeAt(i);
    letters[2 * i] = DIGITS[byte >> 4]!;
    letters[2 * i + 1] = DIGITS[byte & 15]!;
  }
  return `${PREFIXES[identity]}_${letters.toString('latin1')}`;
}

/** The block of SHA-256, in bytes. */
const BLOCK = 64;

/** The memory of a hashed text. Longer texts get their own. */
const USUAL_BYTES = 512;

/**
 * Returns HMAC-SHA256 (RFC 2104) with a key of at most a block, from a text to 32 bytes as Latin-1. Its two hashes without
 * objects take less than half the time of `createHmac`, which is most of the time of an export (decision 57).
 */
function createHmacFunction(key: Uint8Array): (text: string) => string {
  const pad = (byte: number): Uint8Array => new Uint8Array(BLOCK).map((_, i) => byte ^ (key[i] ?? 0));
  const inner = Buffer.alloc(BLOCK + USUAL_BYTES);
  const outer = Buffer.alloc(BLOCK + 32);
  inner.set(pad(0x36));
  outer.set(pad(0x5c));
  return (text) => {
    // A unit of UTF-16 has at most 3 bytes in UTF-8.
    const message =
      3 * text.length <= USUAL_BYTES
        ? inner.subarray(0, BLOCK + inner.write(text, BLOCK))
        : Buffer.concat([inner.subarray(0, BLOCK), Buffer.from(text)]);
    outer.write(hash('sha256', message, 'binary'), BLOCK, 'latin1');
    return hash('sha256', outer, 'binary');
  };
}
