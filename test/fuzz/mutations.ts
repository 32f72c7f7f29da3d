import fc from 'fast-check';

/** Characters that parsers trip over. */
const ODD = [
  '',
  '\0',
  '"',
  "'",
  '\\',
  '\n',
  '\r\n',
  '\t',
  ',',
  ';',
  ':',
  '-',
  '#',
  '@',
  '/',
  '[',
  ']',
  '{',
  '}',
  '<',
  '&',
  '%00',
  '%',
  '1e999',
  '9'.repeat(25),
  '-0',
  'null',
  '\ud800',
  '\u200d',
  '\u2000',
  '\u0958',
  'İ',
  'ﬀ',
  '🏳️‍🌈',
  '\ufeff',
  '__proto__',
];

/** A change of a text: a part of it goes, is repeated, or is replaced. */
const edit = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  length: fc.integer({ min: 0, max: 12 }),
  insert: fc.constantFrom(...ODD),
  isRepeated: fc.boolean(),
});

/** Texts of a corpus with up to six changes. */
export const mutated = (corpus: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...corpus), fc.array(edit, { minLength: 1, maxLength: 6 })).map(([text, edits]) =>
    edits.reduce((changed, { at, length, insert, isRepeated }) => {
      const start = Math.floor(at * changed.length);
      const part = changed.slice(start, start + length);
      return changed.slice(0, start) + insert + (isRepeated ? part + part : '') + changed.slice(start + length);
    }, text),
  );

/** The same of bytes. */
export const mutatedBytes = (corpus: readonly Buffer[]): fc.Arbitrary<Buffer> =>
  fc
    .tuple(
      fc.constantFrom(...corpus),
      fc.array(
        fc.record({
          at: fc.double({ min: 0, max: 1, noNaN: true }),
          length: fc.integer({ min: 0, max: 20 }),
          insert: fc.uint8Array({ maxLength: 4 }),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    )
    .map(([bytes, edits]) =>
      edits.reduce((changed, { at, length, insert }) => {
        const start = Math.floor(at * changed.length);
        return Buffer.concat([changed.subarray(0, start), insert, changed.subarray(start + length)]);
      }, bytes),
    );
