import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isValueDeeperThan, isTextDeeperThan } from '#service/contract/json-body.ts';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

test('the depth of JSON is right for any brackets, quotes and backslashes in strings', () => {
  const text = fc.string({ unit: fc.constantFrom('"', '\\', '[', '{', ']', '}', 'a') });
  const keys = fc.oneof(text, fc.constant('__proto__'));
  const value = fc.letrec((tie) => ({
    node: fc.oneof({ maxDepth: 8 }, text, fc.integer(), fc.array(tie('node')), fc.dictionary(keys, tie('node'))),
  })).node;
  fc.assert(
    fc.property(value, (json) => {
      const depth = depthOf(json);
      const serialised = JSON.stringify(json);
      expect(isTextDeeperThan(serialised, depth)).toBe(false);
      expect(isTextDeeperThan(serialised, depth - 1)).toBe(depth > 0);
      expect(isValueDeeperThan(JSON.parse(serialised), depth)).toBe(false);
      expect(isValueDeeperThan(JSON.parse(serialised), depth - 1)).toBe(depth > 0);
    }),
  );
});

test('text that is not JSON ends the depth scan', () => {
  for (const text of ['', '"', '"\\', '"\\"', ']]]]', '{"a']) expect(isTextDeeperThan(text, 64)).toBe(false);
});
