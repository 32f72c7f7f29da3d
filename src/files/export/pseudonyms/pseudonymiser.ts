import { createHmac, createSecretKey } from 'node:crypto';
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
