import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPhraseFinder, listWords, mayHaveMarks } from '#analysis/find/index-tokens.ts';

const wordsOf = (text: string) => listWords(text).map(({ folded }) => folded);

describe('the words of a text', () => {
  test.each([
    ['Latin', 'It’s C++, naïve_café!', ['it', 's', 'c', 'naive', 'cafe']],
    ['Devanagari, with its vowel signs', 'यह हिन्दी है।', ['यह', 'हिन्दी', 'है']],
    ['Bengali, composed and not', 'ব\u09DC ব\u09A1\u09BC', ['ব\u09A1\u09BC', 'ব\u09A1\u09BC']],
    ['Arabic with vowels and without', 'مُحَمَّد محمد', ['مُحَمَّد', 'محمد']],
    ['Cherokee in both cases', 'ᏣᎳᎩ ꮳꮃꭹ', ['ꮳꮃꭹ', 'ꮳꮃꭹ']],
    ['non-joiners separate words', 'می\u200Cخواهم', ['می', 'خواهم']],
    ['a keycap is its digit', '1️⃣2️⃣', ['1', '2']],
    ['emoji are none', '👍🏽 🎉', []],
  ])('%s', (_, text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  test('have their marks, which mayHaveMarks notices', () => {
    const missed: string[] = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const mark = String.fromCodePoint(code);
      if (/^\p{M}$/u.test(mark) && wordsOf(`a${mark}b`).length === 1 && !mayHaveMarks(`a${mark}b`)) missed.push(mark);
    }
    expect(missed).toEqual([]);
    expect(mayHaveMarks('“Ñandú” и ёж 🎉 👍🏽 ❤️ 東京 …')).toBe(false);
  });

  test('are where they are in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const words = listWords(text);
        expect(words.flatMap(({ start, end }) => listWords(text.slice(start, end)))).toEqual(
          words.map(({ folded, start, end }) => ({ folded, start: 0, end: end - start })),
        );
        expect(words.every(({ end }, i) => end <= (words[i + 1]?.start ?? text.length))).toBe(true);
      }),
    );
  });
});

test.each([
  ['words next to each other', 'यह हिन्दी', 'यह, हिन्दी', true],
  ['not the letters of a longer word', 'यह हिन्दी', 'हिन्दी यह हिन्दुस्तान', false],
  ['not letters without their marks', 'ह', 'हिन्दी', false],
  ['not other vowels', 'हिन्दी', 'हन्दा', false],
  ['a character that stands for words, by these words', '½', '1/2', true],
  ['and by itself', '½', 'x ½', true],
  ['but not by one of them', '2', '½', false],
  ['words in repetitions', 'ha ha he', 'ha ha ha he', true],
])('a phrase finds %s', (_, phrase, text, expected) => {
  const { isIn, locate } = createPhraseFinder(phrase);
  expect(isIn(text)).toBe(expected);
  expect(locate(text).length > 0).toBe(expected);
});
