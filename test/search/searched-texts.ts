import fc from 'fast-check';

/** Words that are equal for a search, or similar, in all scripts. */
const FAMILIES: readonly (readonly string[])[] = [
  ['cafe', 'café', 'CAFÉ', 'ｃａｆｅ', 'cafe\u0301', 'cafes'],
  ['coffee', 'Coffee', '𝐂𝐨𝐟𝐟𝐞𝐞', 'coffeehouse'],
  ['ﬁrst', 'first', 'naïve', 'it’s', 'it', 's'],
  ['Καλημέρα', 'ΚΑΛΗΜΕΡΑ', 'κόσμος', 'ΚΟΣΜΟΣ'],
  ['кофе', 'КОФЕ', 'ёж', 'Еж', 'йод', 'иод'],
  // Capitals later than the Unicode of FTS5: Cherokee, Georgian, Adlam, Osage.
  ['ᏣᎳᎩ', 'ꮳꮃꭹ', 'ᲗᲑᲘᲚᲘᲡᲘ', 'თბილისი', '𞤀𞤁', '𞤢𞤣', '𐓏𐓘', '𐓷𐓀'],
  ['İstanbul', 'istanbul', 'ıstanbul', 'ISTANBUL', 'ĳs', 'ijs', 'IJS'],
  ['ẞ', 'ß', 'ss', 'ſ', 's', '\u212A', 'k', '\u212B', 'å', 'a', 'ŉ', 'ʼn', 'n', 'ǅ', 'dz'],
  ['שלום', 'שָׁלוֹם', '\uFB2Aלום', 'ש\u05C1לום', 'ש'],
  ['محمد', 'مُحَمَّد', 'محمدي', 'م', 'د', 'كتاب', 'كتاب\u08F0', 'كتابٌ'],
  ['آمن', 'ا\u0653من', 'أمن', 'ا', 'من', 'ﻻ', 'لا', 'ﷺ', 'صلى الله عليه وسلم', 'الله'],
  ['می\u200Cخواهم', 'می', 'خواهم', 'میخواهم', 'मी'],
  ['हिन्दी', 'हिन्दुस्तान', 'यह', 'नदी', 'ह', 'न', 'द', 'हिन्दीभाषी'],
  ['क\u093Cलम', '\u0958लम', 'कलम', 'क', '\u0958', 'सड\u093Cक', 'स\u095Cक', 'क्\u200Dष', 'क्ष'],
  ['बा\u093C', 'ব\u09BEড\u09BCি', 'বা\u09DCি', 'বাডি', 'ব\u09DCদা', 'বড\u09BCদা', 'বডদা', 'দা', 'ব'],
  ['தமிழ்', 'தமிழ', 'கொடி', 'கெ\u0BBEடி', 'கெ', 'டி', '\u0B94', '\u0B92\u0BD7', '\u0B92'],
  ['བོད', 'བོད་ཡིག', 'ཡིག', '\u0F43', '\u0F42\u0FB7', '\u0F42', 'ಕ\u0C81', 'ಕ', 'अ\u1CF2', 'अ'],
  ['カメラ', 'ｶﾒﾗ', 'アカメラマン', 'カメ ラ'],
  ['今日は東京で', '東京', '東', '京東', '\uF9D8師', '律師', '律', '\uF9D8', '\u{2F800}', '丽'],
  ['ガムとｶﾞﾑ', 'ガム', 'ｶﾞﾑ', 'カム', '㌔', 'キロ', 'ロ'],
  ['커피를', '커피', '커피를'.normalize('NFD'), '가', '각', '\u1100\u1161', 'ㄱㅏ', 'ﾡￂ', '\u1100'],
  ['อากาศดี', 'อากาศ', 'ไทย', 'ไท', 'น้ำ', 'นำ', 'กิน', 'ก', '๑๒', '๑', 'ລາວ', 'ລາ', 'မြန်မာ', 'မ'],
  ['🎉', '👩‍👩‍👧', '👩', '+', 'a', '👍', '❤️', '❤', 'C++', 'c'],
  ['①', '1', '2024', '２０２４', '1️⃣', '½', '1⁄2', '2', '⑴', 'x²', 'x2', 'Ⅷ', 'viii', 'straße', 'STRASSE'],
];
const separator = fc.constantFrom(' ', '  ', ', ', '\n', ' — ', '. ', ' (', ') ', '! ');
/** Emoji later than the Unicode of FTS5. */
const LATE_EMOJI = ['🤣', '👍🏽', '🫶🏿'];

/** Texts and terms of few words, so that many of them match. */
export const searchedTexts = fc.subarray([...FAMILIES], { minLength: 1, maxLength: 3 }).chain((families) => {
  const words = families.flat();
  const word = fc.constantFrom(...words);
  const text = fc
    .tuple(fc.array(fc.tuple(word, separator), { minLength: 1, maxLength: 8 }), fc.constantFrom('', '', ...LATE_EMOJI))
    .map(([parts, emoji]) => parts.map(([each, after]) => each + after).join('') + emoji);
  const phrase = fc
    .array(fc.constantFrom(...words, 'x'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(' '));
  const term = fc
    .oneof(fc.constantFrom(...words, ...LATE_EMOJI), phrase)
    .map((each) => ({ written: `"${each}"`, term: each }));
  return fc.record({
    texts: fc.array(text, { minLength: 1, maxLength: 8 }),
    terms: fc.array(term, { minLength: 1, maxLength: 2 }),
  });
});
