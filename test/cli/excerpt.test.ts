import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import type { TextRange } from '#base/search-text.ts';
import { formatExcerpt } from '#cli/find/run.ts';

const MARKERS = { open: '**', close: '**' };

/** All places of a part in a text. */
const placesOf = (text: string, part: string): TextRange[] =>
  Array.from(text.matchAll(new RegExp(part, 'g')), ({ index }) => ({ start: index, end: index + part.length }));

const format = (text: string, part: string, maxWidth = 120): string =>
  formatExcerpt(text, placesOf(text, part), MARKERS, maxWidth);

describe('an excerpt', () => {
  const words = (n: number) => Array.from({ length: n }, (_, i) => `word${i}`).join(' ');

  test.each<[what: string, text: string, part: string, excerpt: string | RegExp]>([
    ['is the text with its matches', 'good coffee, and coffee', 'coffee', 'good **coffee**, and **coffee**'],
    ['is empty for an empty text', '', 'coffee', ''],
    [
      ...(['begins shortly before the first match, with whole words', `${words(200)} coffee ${words(200)}`] as const),
      ...(['coffee', /^…word\d+ (word\d+ ){1,4}\*\*coffee\*\*( word\d+){4,}…$/] as const),
    ],
    [
      'of a match at the end has the words before it',
      words(100) + ' coffee',
      'coffee',
      /^…word\d+( word\d+)+ \*\*coffee\*\*$/,
    ],
    ['of a very long text has its match', `${'a'.repeat(1e5)} coffee ${'b '.repeat(1e5)}`, 'coffee', /\*\*coffee\*\*/],
    [
      ...([
        'shows control characters and direction overrides',
        'a\u0000b\u001B[31mc\r\nd\u202Eevil\u009B \ud800 coffee',
      ] as const),
      ...(['coffee', 'a␀b␛[31mc d\ufffdevil\ufffd \ufffd **coffee**'] as const),
    ],
    ['leaves out direction marks', '\u200Fשלום\u200E', 'שלום', '**שלום**'],
    ['limits stacked marks', `z${'\u0335'.repeat(500)} coffee`, 'coffee', /^.{0,40}$/u],
  ])('%s', (_, text, part, excerpt) => {
    const shown = format(text, part);
    expect(typeof excerpt === 'string' ? shown === excerpt : excerpt.test(shown), shown).toBe(true);
  });

  test('of any text fits its width, and its matches are emphasised in pairs', () => {
    const any = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 300 }),
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.string({
        unit: fc.constantFrom('a', ' ', 'coffee', '東', '\u202E', '👩‍👩‍👧', '\u001B', 'é', '\n'),
        maxLength: 300,
      }),
    );
    const bold = { open: '\u001B[1m', close: '\u001B[22m' };
    fc.assert(
      fc.property(any, fc.integer({ min: 48, max: 240 }), fc.nat(100), fc.nat(20), (text, maxWidth, at, length) => {
        const start = Math.min(at, text.length);
        const end = Math.min(start + length, text.length);
        const line = formatExcerpt(text, end > start ? [{ start, end }] : [], bold, maxWidth);
        const plain = line.replaceAll(bold.open, '').replaceAll(bold.close, '');
        expect(stringWidth(plain)).toBeLessThanOrEqual(maxWidth);
        expect(plain).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069\n]/u);
        expect(line.split(bold.open).length).toBe(line.split(bold.close).length);
      }),
      { numRuns: 300 },
    );
  });
});
