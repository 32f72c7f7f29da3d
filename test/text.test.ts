import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractEntities, normaliseHashtag, toSentence } from '#base/text.ts';

const hashtags: [string, string[]][] = [
  ['#Coffee and #coffee and #TEA', ['coffee', 'tea']],
  ['no tag: # alone, #1, #2024, #_', []],
  ['#2024goals #a_b', ['2024goals', 'a_b']],
  ['(#brackets) "#quotes" ,#comma\n#line', ['brackets', 'quotes', 'comma', 'line']],
  ['mid#word and a#b#c are none', []],
  ['#one#two starts one only', ['one']],
  ['&#39; and &#x27; are escapes', []],
  [
    '#ΚΑΦΈΣ #КОФЕ #カフェ #커피 #قهوة #קפה #कॉफ़ी #กาแฟ #咖啡',
    ['καφές', 'кофе', 'カフェ', '커피', 'قهوة', 'קפה', 'कॉफ़ी', 'กาแฟ', '咖啡'].map(normaliseHashtag),
  ],
  ['#cafe\u0301 is #café', ['café']],
  ['＃全角 works', ['全角']],
  ['#️⃣ and #1️⃣ are emoji', []],
  ['#love❤️ ends at the emoji', ['love']],
  ['https://example.org/page#section #real', ['real']],
];

const mentions: [string, string[]][] = [
  ['@Anna and @anna, @bob_1!', ['anna', 'bob_1']],
  ['.@anna said (@bob)', ['anna', 'bob']],
  ['write to anna@example.org or a.b+c@example.co.uk', []],
  ['почта ольга@example.org', []],
  ['ありがとう@anna', ['anna']],
  ['@@anna, @anna@social.example.org', []],
  ['@abcdefghijklmnop is too long, @abcdefghijklmno is not', ['abcdefghijklmno']],
  ['https://example.org/@anna is a link', []],
  ['@anna.Great!', ['anna']],
];

const links: [string, string[]][] = [
  ['see https://example.org/a, http://example.org.', ['https://example.org/a', 'http://example.org']],
  ['(https://example.org/Foo_(bar))', ['https://example.org/Foo_(bar)']],
  ['"https://example.org/?a=1&b=2#c"', ['https://example.org/?a=1&b=2#c']],
  ['https://example.org/a https://example.org/a', ['https://example.org/a']],
  ['https:// and ftp://example.org and xhttps://example.org', []],
  ['詳細はhttps://example.org/あ。次', ['https://example.org/あ']],
  ['HTTPS://EXAMPLE.org/A!?', ['HTTPS://EXAMPLE.org/A']],
];

describe('the entities of a text', () => {
  it.each(hashtags)('finds the hashtags of %j', (text, expected) => {
    expect(extractEntities(text).hashtags).toEqual(expected);
  });

  it.each(mentions)('finds the mentions of %j', (text, expected) => {
    expect(extractEntities(text).mentions).toEqual(expected);
  });

  it.each(links)('finds the links of %j', (text, expected) => {
    expect(extractEntities(text).links).toEqual(expected);
  });

  it('of an empty text are empty', () => {
    expect(extractEntities('')).toEqual({ hashtags: [], mentions: [], links: [] });
  });

  it('contain unique hashtags that round-trip', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('#', '@', 'https://', ' ', 'É', 'Σ', 'İ', '.', ')'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const found = extractEntities(pieces.join(''));
        for (const list of Object.values(found)) expect(new Set(list).size).toBe(list.length);
        for (const tag of found.hashtags) expect(extractEntities(`#${tag}`).hashtags).toEqual([tag]);
        for (const name of found.mentions) expect(extractEntities(`@${name}`).mentions).toEqual([name]);
        for (const link of found.links) expect(extractEntities(link).links).toEqual([link]);
      }),
      { numRuns: 500 },
    );
  });

  it('are extracted in linear time from a hostile text', () => {
    for (const unit of ['#', '@', 'a@', 'http://a', 'http://a)', ')', '#a', '!', 'é.', '(@a']) {
      expect(() => extractEntities(unit.repeat(50_000))).not.toThrow();
    }
  });
});

it.each([
  ['there is no database', 'There is no database'],
  ['user-tweets: status 404', 'User-tweets: status 404'],
  ['trawl-demo/crawled.db is damaged', 'trawl-demo/crawled.db is damaged'],
  ['mine.db is damaged', 'mine.db is damaged'],
  ['@nasa is not stored', '@nasa is not stored'],
  ['https://example.org does not answer', 'https://example.org does not answer'],
])('the message %j is shown as %j: names keep their letters', (message, sentence) => {
  expect(toSentence(message)).toBe(sentence);
});
