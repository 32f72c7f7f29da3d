import fc from 'fast-check';

/** Words that are equal for a search, or similar, in all scripts. */
const FAMILIES: readonly (readonly string[])[] = [
  ['cafe', 'café', 'CAFÉ', 'ｃａｆｅ', 'cafe\u0301', 'cafes'],
  ['coffee', 'Coffee', '𝐂𝐨𝐟𝐟𝐞𝐞', 'coffeehouse'],
  ['ﬁrst', 'first', 'naïve', 'it’s', 'it', 's'],
  ['Καλημέρα', 'ΚΑΛΗΜΕΡΑ', 'κόσμος', 'ΚΟΣΜΟΣ'],
  ['кофе', 'КОФЕ', 'ёж', 'Еж', 'йод', 'иод'],
  ['שלום', 'محمد', 'مُحَمَّد', 'محمدي'],
  // Letters alone would also be found within words with marks (docs/search.md, Known limitations).
  ['हिन्दी', 'हिन्दुस्तान', 'यह', 'नदी'],
  ['カメラ', 'ｶﾒﾗ', 'アカメラマン', 'カメ ラ'],
  ['今日は東京で', '東京', '東', '京東'],
  ['ガムとｶﾞﾑ', 'ガム', 'ｶﾞﾑ', 'カム'],
  ['커피를', '커피', 'อากาศดี', 'อากาศ'],
  ['🎉', '👩‍👩‍👧', '👩', '+', 'a'],
  ['①', '1', '2024', '２０２４', 'straße', 'STRASSE'],
];
const separator = fc.constantFrom(' ', '  ', ', ', '\n', ' — ', '. ', ' (', ') ', '! ');

/** Texts and terms of few words, so that many of them match. */
export const searchedTexts = fc.subarray([...FAMILIES], { minLength: 1, maxLength: 3 }).chain((families) => {
  const words = families.flat();
  const word = fc.constantFrom(...words);
  const text = fc
    .array(fc.tuple(word, separator), { minLength: 1, maxLength: 8 })
    .map((parts) => parts.map(([each, after]) => each + after).join(''));
  // Symbols within a phrase are searched on their own: phrases have words only.
  const inPhrase = fc.constantFrom(...words.filter((each) => /[\p{L}\p{N}]/u.test(each)), 'x');
  const phrase = fc.array(inPhrase, { minLength: 1, maxLength: 3 }).map((parts) => parts.join(' '));
  const term = fc.oneof(
    word.map((each) => ({ written: `"${each}"`, term: each })),
    phrase.map((each) => ({ written: `"${each}"`, term: each })),
  );
  return fc.record({
    texts: fc.array(text, { minLength: 1, maxLength: 8 }),
    terms: fc.array(term, { minLength: 1, maxLength: 2 }),
  });
});
