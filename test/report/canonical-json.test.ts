import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeDigest, formatCanonicalJson } from '#files/report/write-report.ts';

test('the example of RFC 8785 has the text of the RFC', () => {
  // Section 3.2.2 and 3.2.3.
  const value = JSON.parse(
    String.raw`{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/","literals":[null,true,false]}`,
  ) as unknown;
  expect(formatCanonicalJson(value)).toBe(
    String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
  );
});

test('keys are in the order of UTF-16 units', () => {
  // Section 3.2.3: the emoji sorts before the ligature, whose code point is smaller.
  const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
  const sorted = Object.keys(
    JSON.parse(formatCanonicalJson(Object.fromEntries(keys.map((key) => [key, 0])))) as object,
  );
  // Keys like integers come first in any object.
  expect(sorted).toEqual(['1', '\r', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33']);
});

test('the text is JSON of the same value, whatever the order of the keys', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      const value = JSON.parse(text) as unknown;
      const canonical = formatCanonicalJson(value);
      expect(JSON.parse(canonical)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(formatCanonicalJson(reverseKeys(value))).toBe(canonical);
    }),
  );
});

test('values without a form in JSON have one', () => {
  expect(formatCanonicalJson({ big: 2n ** 60n, small: 5n, none: undefined, lone: 'a\ud800' })).toBe(
    '{"big":"1152921504606846976","lone":"a\ufffd","small":5}',
  );
});

test('the digest is the SHA-256 of the text', () => {
  expect(computeDigest({})).toBe('44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a');
});

function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, each]) => [key, reverseKeys(each)]),
  );
}
