import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isInPart, parsePart } from '#service/kinds/target-part.ts';
import { parseTarget } from '#service/kinds/target.ts';

const partsOf = (target: string, of: number): number[] =>
  Array.from({ length: of }, (_, i) => i + 1).filter((part) => isInPart(target, { part, of }));

test('every target is in exactly one part', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 50 }), (target, of) => {
      expect(partsOf(target, of)).toHaveLength(1);
    }),
  );
});

test('all spellings of a handle are in one part', () => {
  const handles = fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,14}$/);
  fc.assert(
    fc.property(handles, fc.integer({ min: 1, max: 20 }), (handle, of) => {
      const spellings = [handle, `@${handle}`, handle.toUpperCase(), `https://example.org/${handle.toLowerCase()}`];
      const parts = spellings.flatMap((typed) => partsOf(parseTarget('profile', 'account', typed).target, of));
      expect(new Set(parts).size).toBe(1);
      expect(parts).toHaveLength(spellings.length);
    }),
  );
});

test('the part is that of the SHA-256, on all machines and versions', () => {
  const expected = (target: string, of: number): number =>
    Number(BigInt(`0x${createHash('sha256').update(target).digest('hex').slice(0, 12)}`) % BigInt(of)) + 1;
  for (const target of ['nasa', 'id:11348282', '東京']) {
    for (const of of [2, 3, 7]) expect(partsOf(target, of)).toEqual([expected(target, of)]);
  }
  expect(partsOf('nasa', 3)).toEqual([NASA_OF_3]);
});

/** A change would deal the targets of running hosts anew. */
const NASA_OF_3 = 1;

test('parts are of similar size', () => {
  const counts = [0, 0, 0];
  for (let n = 0; n < 30_000; n++) counts[partsOf(`id:${n}`, 3)[0]! - 1]! += 1;
  // Five standard deviations.
  for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(410);
});

test.each(['0/3', '4/3', '1', '1/0', '01/3', '1/1001', ' 1/3', '-1/3'])('"%s" is no part', (text) => {
  expect(parsePart(text)).toBeUndefined();
});
