import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHighlighter } from '#analysis/find/highlight.ts';
import { parseFind } from '#analysis/find/search-query.ts';

/** The text with its matches in brackets. */
function mark(text: string, query: string): string {
  const ranges = createHighlighter(parseFind(query, { isForUsers: false }))(text);
  return ranges.reduceRight(
    (all, { start, end }) => `${all.slice(0, start)}[${all.slice(start, end)}]${all.slice(end)}`,
    text,
  );
}

describe('matches are highlighted', () => {
  test.each([
    ['a word in any case', 'Good COFFEE, coffee!', 'coffee', 'Good [COFFEE], [coffee]!'],
    ['an accent', 'un café', 'cafe', 'un [café]'],
    ['a decomposed accent', 'un cafe\u0301.', 'cafe', 'un [cafe\u0301].'],
    ['full width', 'ｃａｆｅ', 'café', '[ｃａｆｅ]'],
    ['a ligature', 'the oﬃce', 'office', 'the [oﬃce]'],
    ['half-width kana', 'とｶﾒﾗで', 'カメラ', 'と[ｶﾒﾗ]で'],
    ['half-width kana with voicing marks', 'とｶﾞﾑで', 'ガム', 'と[ｶﾞﾑ]で'],
    ['kana in full width', 'カメラ', 'ｶﾒﾗ', '[カメラ]'],
    ['text within a sentence', '今日は東京で', '東京', '今日は[東京]で'],
    ['Korean before a particle', '커피를', '커피', '[커피]를'],
    [
      'Korean in decomposed form',
      '커피를'.normalize('NFD'),
      '커피',
      `[${'커피'.normalize('NFD')}]${'를'.normalize('NFD')}`,
    ],
    ['Thai with all its marks', 'วันนี้อากาศดี', 'อากาศ', 'วันนี้[อากาศ]ดี'],
    ['Hindi with its last vowel sign', 'यह हिन्दी है', 'हिन्दी', 'यह [हिन्दी] है'],
    ['the word with marks, not its letters', 'ह न द और हिन्दी', 'हिन्दी', 'ह न द और [हिन्दी]'],
    ['Arabic with its vowels', 'قال مُحَمَّدٌ', 'مُحَمَّدٌ', 'قال [مُحَمَّدٌ]'],
    ['Hebrew', 'שלום, עולם', 'עולם', 'שלום, [עולם]'],
    ['Greek with a final sigma', 'ο ΚΟΣΜΟΣ', 'κόσμος', 'ο [ΚΟΣΜΟΣ]'],
    ['Cyrillic', 'Ёжик', 'ежик', '[Ёжик]'],
    ['a phrase as a whole', 'A coffee, but good', '"coffee but"', 'A [coffee, but] good'],
    ['no words outside of the phrase', 'but coffee but', '"coffee but"', 'but [coffee but]'],
    ['overlapping phrases as one', 'ha ha ha', '"ha ha"', '[ha ha ha]'],
    ['an emoji', 'a 🎉b', '🎉', 'a [🎉]b'],
    ['word and signs', 'C++ and C', 'C++', '[C++] and C'],
    ['any of several texts', 'tea or good coffee', 'tea OR "good coffee"', '[tea] or [good coffee]'],
    ['nothing that is excluded', 'tea or coffee', 'tea -coffee', '[tea] or coffee'],
    ['a sign that folds to letters', 'tm™', '™', 'tm[™]'],
    ['a hashtag with its sign', 'coffee #Coffee #coffeetime', '#coffee', 'coffee [#Coffee] #coffeetime'],
    ['a hashtag in another spelling', 'vamos #fútbol', '#futbol', 'vamos [#fútbol]'],
    ['no hashtag in a link', 'https://example.org/#coffee #coffee', '#coffee', 'https://example.org/#coffee [#coffee]'],
    ['a mention', 'hi @Ada, not ada or x@ada.org', '@ada', 'hi [@Ada], not ada or x@ada.org'],
    ['nothing for an author or a day', 'from ada 2024', 'from:ada since:2024-01-01', 'from ada 2024'],
    ['several terms', 'good coffee in Paris', 'paris coffee', 'good [coffee] in [Paris]'],
    ['a part of a word never', 'coffeehouse', 'coffee', 'coffeehouse'],
    ['digits in circles', 'step ① of 10', '1', 'step [①] of 10'],
  ])('%s', (_, text, query, expected) => {
    expect(mark(text, query)).toBe(expected);
  });

  test('no text has no matches', () => {
    expect(createHighlighter(parseFind('coffee', { isForUsers: false }))(null)).toEqual([]);
  });

  test('for any text and any search: in order, within the text, not within a pair of surrogates', () => {
    const any = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary' }), fc.lorem());
    fc.assert(
      fc.property(any, any, (text, query) => {
        let last = 0;
        for (const { start, end } of createHighlighter(
          parseFind(`${query} ${text.slice(0, 5)}`, { isForUsers: false }),
        )(text)) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
          for (const at of [start, end])
            expect(/[\uD800-\uDBFF][\uDC00-\uDFFF]/.test(text.slice(at - 1, at + 1))).toBe(false);
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: 300 },
    );
  });
});
