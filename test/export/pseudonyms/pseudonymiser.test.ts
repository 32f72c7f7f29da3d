import { createHmac, randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { createPseudonymiser } from '#files/export/pseudonyms/pseudonymiser.ts';

const key = randomBytes(32);

/** The definition of docs/datasets.md, on its own. */
function compute(prefix: string, text: string): string {
  const digits = createHmac('sha256', key).update(text).digest('hex').slice(0, 24);
  return `${prefix}_${Array.from(digits, (digit) => 'bcdfghjklmnpqrst'[Number.parseInt(digit, 16)]).join('')}`;
}

test('a pseudonym is the first 96 bits of the HMAC-SHA256 of what it names', () => {
  const pseudonymiser = createPseudonymiser(key);
  expect(pseudonymiser.of('account', '1231888265')).toBe(compute('a', 'account:1231888265'));
  expect(pseudonymiser.of('tweet', '1609371482933060327')).toBe(compute('t', 'tweet:1609371482933060327'));
  for (const text of ['', 'a'.repeat(170), 'é語👩‍👩‍👧', 'x'.repeat(171), '語'.repeat(5000)])
    expect(pseudonymiser.of('search', text)).toBe(compute('s', `search:${text}`));
  // Cached or not.
  expect(pseudonymiser.of('account', '1231888265')).toBe(compute('a', 'account:1231888265'));
});

test('a handle has one pseudonym in any case, which is not that of an equal id', () => {
  const pseudonymiser = createPseudonymiser(key);
  expect(pseudonymiser.of('handle', 'HarbourNews')).toBe(compute('h', 'handle:harbournews'));
  expect(pseudonymiser.of('handle', 'harbourNEWS')).toBe(pseudonymiser.of('handle', 'HarbourNews'));
  expect(pseudonymiser.of('handle', '20').slice(2)).not.toBe(pseudonymiser.of('account', '20').slice(2));
});

test('many identities have different pseudonyms, and keep them when the cache is full', () => {
  const pseudonymiser = createPseudonymiser(key);
  const first = pseudonymiser.of('tweet', '0');
  const all = new Set(Array.from({ length: 200_000 }, (_, i) => pseudonymiser.of('tweet', String(i))));
  expect(all.size).toBe(200_000);
  expect(pseudonymiser.of('tweet', '0')).toBe(first);
});

test('other keys have other pseudonyms and fingerprints', () => {
  const [one, same, other] = [key, Buffer.from(key), randomBytes(32)].map((each) => createPseudonymiser(each));
  expect(same!.fingerprint).toBe(one!.fingerprint);
  expect(other!.fingerprint).not.toBe(one!.fingerprint);
  expect(other!.of('account', '1')).not.toBe(one!.of('account', '1'));
  expect(key.toString('hex')).not.toContain(one!.fingerprint);
});
