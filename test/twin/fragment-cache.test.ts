import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFragmentCache } from '../../src/twin/queries/fragment-cache.ts';

const fragmentOf = (text: string): Buffer => Buffer.from(text);

/** Adds fragments and begins the next read. */
function fill(cache: ReturnType<typeof createFragmentCache>, fragments: Readonly<Record<number, string>>): void {
  for (const [id, text] of Object.entries(fragments)) cache.add(Number(id), fragmentOf(text));
  cache.beginRead('state');
}

describe('cached fragments', () => {
  test('are found in the reads after the one that added them', () => {
    const cache = createFragmentCache(1000);
    cache.beginRead('state');
    cache.add(1, fragmentOf('one'));
    expect(cache.find(1)).toBeUndefined();
    cache.beginRead('state');
    expect(cache.find(1)?.toString()).toBe('one');
    expect(cache.find(2)).toBeUndefined();
  });

  test('are those of the latest state, also if they were added in an earlier one', () => {
    const cache = createFragmentCache(1000);
    cache.beginRead('state');
    fill(cache, { 1: 'one' });
    cache.add(2, fragmentOf('two'));
    cache.beginRead('changed');
    expect([cache.find(1), cache.find(2)]).toEqual([undefined, undefined]);
    cache.beginRead('state');
    expect([cache.find(1), cache.find(2)]).toEqual([undefined, undefined]);
  });

  test('are overwritten in the order in which they were added, within the size', () => {
    const cache = createFragmentCache(1000);
    cache.beginRead('state');
    for (let id = 1; id <= 10; id++) fill(cache, { [id]: String(id).repeat(300 / String(id).length) });
    const found = Array.from({ length: 10 }, (_, index) => index + 1).filter((id) => cache.find(id) !== undefined);
    expect(found).toEqual([8, 9, 10]);
  });

  test('do not include one above the size', () => {
    const cache = createFragmentCache(100);
    cache.beginRead('state');
    fill(cache, { 1: 'x'.repeat(101), 2: 'two' });
    expect(cache.find(1)).toBeUndefined();
    expect(cache.find(2)?.toString()).toBe('two');
  });

  test('are never those of another id or state, for any sequence of reads', () => {
    const added = fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fc.nat(90)), { maxLength: 8 });
    const reads = fc.array(fc.record({ isChanged: fc.boolean(), added }), { maxLength: 60 });
    fc.assert(
      fc.property(reads, fc.integer({ min: 0, max: 600 }), (sequence, maxBytes) => {
        const cache = createFragmentCache(maxBytes);
        let state = 0;
        const expected = new Map<number, string>();
        for (const [turn, read] of sequence.entries()) {
          if (read.isChanged) {
            state += 1;
            expected.clear();
          }
          cache.beginRead(state);
          const found = Array.from({ length: 41 }, (_, id) => cache.find(id)?.toString());
          expect(found).toEqual(found.map((text, id) => text && expected.get(id)));
          for (const [id, length] of read.added) {
            // In one state, a row has one fragment.
            const text = expected.get(id) ?? `${id} ${turn} `.padEnd(length, '.');
            expected.set(id, text);
            cache.add(id, fragmentOf(text));
          }
        }
      }),
    );
  });
});
