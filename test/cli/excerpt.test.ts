import fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { type ExcerptOptions, formatExcerpt } from '../../src/cli/find/excerpt.ts';
import type { TextRange } from '../../src/search/folded-text.ts';

const MARKERS: ExcerptOptions = {
  width: 40,
  maxWidth: 120,
  emphasis: {
    open: '**',
    close: '**',
  },
  emphasisWidth: 4,
};
const BOLD: Pick<ExcerptOptions, 'emphasis' | 'emphasisWidth'> = {
  emphasis: {
    open: '\x1B[1m',
    close: '\x1B[22m',
  },
  emphasisWidth: 0,
};

/** All places of a part in a text. */
const placesOf = (text: string, part: string): TextRange[] =>
  Array.from(text.matchAll(new RegExp(part, 'g')), ({ index }) => ({ start: index, end: index + part.length }));

const format = (text: string, part: string, options: Partial<ExcerptOptions> = {}): string[] =>
  formatExcerpt(text, placesOf(text, part), { ...MARKERS, ...options });

describe('an excerpt', () => {
  test('is the text with its matches', () => {
    expect(format('good coffee, and coffee', 'coffee')).toEqual(['good **coffee**, and **coffee**']);
    expect(format('今日は東京で', '東京', BOLD)).toEqual(['今日は\u001B[1m東京\u001B[22mで']);
    expect(format('', 'coffee')).toEqual([]);
  });

  test('is wrapped at spaces, and anywhere in scripts without spaces', () => {
    expect(format('one two three four coffee five six', 'coffee', { width: 20 })).toEqual([
      'one two three',
      'four **coffee**',
      'five six',
    ]);
    expect(format('今日は東京で映画を見た', '東京', { ...BOLD, width: 10 })).toEqual([
      '今日は\u001B[1m東京\u001B[22m',
      'で映画を見',
      'た',
    ]);
  });

  test('of a long text begins shortly before the first match, with whole words', () => {
    const words = (n: number) => Array.from({ length: n }, (_, i) => `word${i}`).join(' ');
    const [line, ...rest] = format(`${words(200)} coffee ${words(200)}`, 'coffee', { width: Infinity, maxWidth: 80 });
    expect(rest).toEqual([]);
    expect(line).toMatch(/^…word\d+ (word\d+ )*\*\*coffee\*\*( word\d+)+…$/);
    expect(line!.length).toBeLessThanOrEqual(84);
    expect(line!.indexOf('coffee')).toBeLessThan(30);
  });

  test('of a match at the end of a long text has the words before it', () => {
    const text = `${'word '.repeat(100)}coffee`;
    const [line] = format(text, 'coffee', { width: Infinity, maxWidth: 60 });
    expect(line).toMatch(/^…word( word)* \*\*coffee\*\*$/);
    expect(line!.length).toBeGreaterThan(50);
  });

  test('of a very long text has its match', () => {
    const text = `${'a'.repeat(100_000)} coffee ${'b '.repeat(100_000)}`;
    expect(format(text, 'coffee').join(' ')).toContain('**coffee**');
  });

  test('has no control characters and no direction overrides', () => {
    const text = 'a\u0000b\u001B[31mc\u0007\r\nd\u202Eevil\u2066x\u2069\u009B1m \ud800 coffee';
    const [line] = format(text, 'coffee', { width: 200 });
    expect(line).toBe('a␀b␛[31mc␇ d\ufffdevil\ufffdx\ufffd\ufffd1m \ufffd **coffee**');
  });

  test('leaves invisible direction marks out, and limits stacked marks', () => {
    expect(format('\u200Fשלום\u200E', 'שלום')).toEqual(['**שלום**']);
    const [line] = format(`z${'\u0335'.repeat(500)} coffee`, 'coffee');
    expect(Array.from(line!).length).toBeLessThan(40);
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
    fc.assert(
      fc.property(
        any,
        fc.integer({ min: 12, max: 60 }),
        fc.nat(100),
        fc.nat(20),
        fc.boolean(),
        (text, width, at, length, isBold) => {
          const start = Math.min(at, text.length);
          const end = Math.min(start + length, text.length);
          const matches = end > start ? [{ start, end }] : [];
          const lines = formatExcerpt(text, matches, {
            ...MARKERS,
            ...(isBold ? BOLD : {}),
            width,
            maxWidth: 4 * width,
          });
          for (const line of lines) {
            const plain = line.replaceAll('\u001B[1m', '').replaceAll('\u001B[22m', '');
            expect(stringWidth(plain)).toBeLessThanOrEqual(width);
            expect(plain).not.toMatch(/[\p{Cc}\u202A-\u202E\u2066-\u2069\n]/u);
            expect(line.split('\u001B[1m').length).toBe(line.split('\u001B[22m').length);
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
