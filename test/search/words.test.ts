import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { listTokens, toSearchText } from '#base/search-text.ts';
import { openConnection } from '#store/sqlite/driver.ts';

const wordsOf = (text: string) => listTokens(text).map(({ token }) => token);

describe('the words of a text', () => {
  test.each([
    ['Latin', 'It’s C, naïve_café!', ['it', 's', 'c', 'naive', 'cafe']],
    ['Devanagari, with its vowel signs', 'यह हिन्दी है।', ['यह', 'हिन्दी', 'है']],
    ['Bengali, composed and not', 'ব\u09DC ব\u09A1\u09BC', ['ব\u09A1\u09BC', 'ব\u09A1\u09BC']],
    ['Arabic with vowels and without', 'مُحَمَّد محمد', ['مُحَمَّد', 'محمد']],
    ['Cherokee in both cases', 'ᏣᎳᎩ ꮳꮃꭹ', ['ꮳꮃꭹ', 'ꮳꮃꭹ']],
    ['non-joiners separate words', 'می\u200Cخواهم', ['می', 'خواهم']],
    ['a keycap is its digit', '1️⃣2️⃣', ['1', '2']],
    ['each character of a script without spaces', '東京tower', ['東', '京', 'tower']],
    ['half-width kana with voicing marks', 'ｶﾞﾑ', ['ガ', 'ム']],
  ])('%s', (_, text, expected) => {
    expect(wordsOf(text)).toEqual(expected);
  });

  test('include symbols, each of its own', () => {
    expect(wordsOf('👍🏽 🎉')).toHaveLength(3);
    expect(wordsOf('C＋＋')).toEqual(wordsOf('c++'));
    expect(wordsOf('100% "really"…')).toEqual(['100', 'really']);
  });

  test('are where they are in the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        let last = 0;
        for (const { token, start, end } of listTokens(text)) {
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeGreaterThanOrEqual(last);
          expect(wordsOf(text.slice(start, end))).toContain(token);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(text.length);
      }),
    );
  });

  test('are the tokens of the full-text index, which has a text once more as it has it', () => {
    const db = openConnection(':memory:');
    db.exec(`create virtual table f using fts5(t, tokenize="unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'");
      create virtual table v using fts5vocab(f, instance)`);
    const insert = db.prepare('insert into f (rowid, t) values (?, ?)');
    const texts: string[] = [];
    const add = (text: string): void => void insert.run(texts.push(text), toSearchText(text));
    // Lone accents are no words of a text.
    for (let code = 1; code < 0x32000; code += code > 0x3400 && code < 0xd7ff ? 37 : 1)
      if ((code < 0x300 || code > 0x36f) && (code < 0xd800 || code > 0xdfff)) add(`a${String.fromCodePoint(code)}東`);
    for (const text of fc.sample(fc.string({ unit: 'grapheme', maxLength: 20 }), 2000)) add(text);
    const read = db.prepare<[number], string>('select term from v where doc = ? order by offset').pluck();
    const all = new Map<number, string[]>();
    for (const [doc, term] of db
      .prepare<[], [number, string]>('select doc, term from v order by doc, offset')
      .raw()
      .iterate())
      all.set(doc, [...(all.get(doc) ?? []), term]);
    expect(read.all(1)).toEqual(all.get(1));
    const differing = texts.filter((text, i) => {
      const words = toSearchText(text);
      return (all.get(i + 1) ?? []).join(' ') !== wordsOf(text).join(' ') || toSearchText(words) !== words;
    });
    expect(differing).toEqual([]);
    db.close();
  });
});
