import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { foldText } from '#base/text.ts';
import { addTweet, addUser, temporaryStore, testTwin } from '../twin/support.ts';

const TEXTS = [
  ['tag', 'vamos #fútbol', 'fútbol'],
  ['plain tag', 'vamos #futbol', 'futbol'],
  ['wide tag', 'hola #ＦＯＯ', 'ｆｏｏ'],
  ['wide', 'in the Ｂａｒ tonight'],
  ['styled', 'in the 𝐁𝐚𝐫 tonight'],
  ['accent', 'un café à Orléans'],
  ['greek', 'Καλημέρα κόσμε'],
  ['russian', 'ещё один йод'],
  ['kana', '今日はカメラとガムで遊ぶ #カメラ', 'カメラ'],
  ['half kana', 'ｶﾒﾗとｶﾞﾑで遊ぶ #ｶﾒﾗ', 'ｶﾒﾗ'],
  ['circled', 'step ① of 3'],
  ['ligature', 'the ﬁrst oﬃce'],
  ['sign', 'treatment™ of C＋＋ at 50％'],
] as const;

async function searchable() {
  const db = temporaryStore();
  const author = addUser(db, { restId: '1', screenName: 'nasa' });
  for (const [n, [restId, text, ...tags]] of TEXTS.entries())
    addTweet(db, { restId, authorId: author, text, tags, createdAt: n });
  const twin = await testTwin({ db });
  return async (rawQuery: string): Promise<string[]> => {
    const { timeline } = await twin.data('search', { rawQuery });
    return timeline.instructions[0]!.entries.map(({ content }) => content.tweet.id).toSorted();
  };
}

describe('a search ignores accents, case and width', () => {
  test.each([
    ['#futbol', ['plain tag', 'tag']],
    ['#FÚTBOL', ['plain tag', 'tag']],
    ['#foo', ['wide tag']],
    ['＃ｆｏｏ', ['wide tag']],
    ['foo', ['wide tag']],
    ['bar', ['styled', 'wide']],
    ['𝗕𝗔𝗥', ['styled', 'wide']],
    ['"THE bar Tonight"', ['styled', 'wide']],
    ['ｃａｆｅ', ['accent']],
    ['"ｃａｆｅ́ a orleans"', ['accent']],
    ['καλημερα', ['greek']],
    ['ΚΌΣΜΕ', ['greek']],
    ['еще', ['russian']],
    ['ЙОД', ['russian']],
    ['カメラ', ['half kana', 'kana']],
    ['ｶﾒﾗ', ['half kana', 'kana']],
    ['ガム', ['half kana', 'kana']],
    ['#ｶﾒﾗ', ['half kana', 'kana']],
    ['#カメラ', ['half kana', 'kana']],
    ['1', ['circled']],
    ['①', ['circled']],
    ['first', ['ligature']],
    ['office', ['ligature']],
    ['"first oﬀice"', ['ligature']],
    ['c++', ['sign']],
    ['C＋＋', ['sign']],
    ['™', ['sign']],
    ['ba', []],
    ['#futbo', []],
    ['from:ＮＡＳＡ #foo', ['wide tag']],
  ])('%s', async (query, expected) => {
    expect(await (await searchable())(query)).toEqual(expected);
  });

  test('handles with another accent are other accounts', async () => {
    expect(await (await searchable())('from:nasá #foo')).toEqual([]);
  });

  test('a tweet with a hashtag in two spellings is found once', async () => {
    const db = temporaryStore();
    addTweet(db, { restId: 'both', text: '#fútbol #futbol', tags: ['fútbol', 'futbol'] });
    const twin = await testTwin({ db });
    expect((await twin.data('search', { rawQuery: '#futbol' })).search_metadata.count).toBe(1);
  });
});

test('folding is idempotent', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 8 }), (text) => {
      expect(foldText(foldText(text))).toBe(foldText(text));
    }),
    { numRuns: 2000 },
  );
});
