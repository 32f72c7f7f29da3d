import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseFind, parseSearch, type SearchTerm } from '#analysis/find/search-query.ts';

const day = (text: string) => Date.parse(`${text}T00:00Z`);
const text = (...texts: string[]): SearchTerm[] => texts.map((each) => ({ kind: 'text', text: each }));

describe('a search string', () => {
  test.each<[string, SearchTerm[]]>([
    ['two words', text('two', 'words')],
    ['"an exact  phrase" more', text('an exact  phrase', 'more')],
    ['“as phones write it” ＂too＂', text('as phones write it', 'too')],
    ['glued"to a phrase"and back', text('glued', 'to a phrase', 'and', 'back')],
    ['"never closed', text('never', 'closed')],
    ['24" from:ada', [...text('24'), { kind: 'author', screenName: 'ada' }]],
    ['"" " " "', []],
    [
      'from:Ada FROM:@bob',
      [
        { kind: 'author', screenName: 'Ada' },
        { kind: 'author', screenName: 'bob' },
      ],
    ],
    ['from:ada"good coffee"', [{ kind: 'author', screenName: 'ada' }, ...text('good coffee')]],
    ['"from:ada"', text('from:ada')],
    ['xfrom:ada', text('xfrom:ada')],
    ['from: ada', text('from:', 'ada')],
    ['@Ada', [{ kind: 'mention', screenName: 'Ada' }]],
    ['@ada,', text('@ada,')],
    ['@', text('@')],
    ['#Café', [{ kind: 'hashtag', tag: 'Café' }]],
    ['＃東京', [{ kind: 'hashtag', tag: '東京' }]],
    ['#हिन्दी', [{ kind: 'hashtag', tag: 'हिन्दी' }]],
    ['\u200F#שלום\u200E', [{ kind: 'hashtag', tag: 'שלום' }]],
    ['#1', text('#1')],
    ['#a#b', text('#a#b')],
    ['since:2024-02-29', [{ kind: 'since', at: day('2024-02-29') }]],
    ['UNTIL:2024-03-01', [{ kind: 'until', at: day('2024-03-01') }]],
    ['since:2023-02-29', text('since:2023-02-29')],
    ['since:2024-02-29T10:00', text('since:2024-02-29T10:00')],
    ['until:soon', text('until:soon')],
    ['from:', text('from:')],
    ['from:@', text('from:@')],
    ['from:@@', [{ kind: 'author', screenName: '@' }]],
    ['\u017Fince:2024-02-29', text('\u017Fince:2024-02-29')],
    ['a\u0000b\tc\nd\u3000e\u200Bf', text('a', 'b', 'c', 'd', 'e', 'f')],
    ['half \ud83d a pair', text('half', '\ufffd', 'a', 'pair')],
    ['', []],
  ])('%j is parsed', (query, terms) => {
    expect(parseSearch(query)).toEqual(terms);
  });

  test('can have its terms in any order', () => {
    const pieces = ['word', '"a phrase"', 'from:ada', '@bob', '#tag', 'since:2024-01-01', 'until:2024-02-01'];
    const apart = pieces.flatMap((piece) => parseSearch(piece));
    fc.assert(
      fc.property(fc.shuffledSubarray(pieces), fc.constantFrom(' ', '  ', '\u3000'), (some, space) => {
        expect(parseSearch(some.join(space))).toEqual(some.map((piece) => apart[pieces.indexOf(piece)]));
      }),
    );
  });

  test('can be any text, and no term is empty or ill-formed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (query) => {
        for (const term of parseSearch(query)) {
          const value = 'text' in term ? term.text : undefined;
          expect(value?.isWellFormed() ?? true).toBe(true);
          expect(value).not.toBe('');
        }
      }),
    );
  });

  test.each(['"', '" ', '#', '@', 'from:', 'since:', '"a', 'since:2024-01-01', '\ud800'])(
    'can be a megabyte of %j',
    (piece) => {
      expect(() => parseSearch(piece.repeat(1_000_000 / piece.length))).not.toThrow();
    },
  );
});

test.each<[string, SearchTerm[]]>([
  ['two words', text('two', 'words')],
  ['"a phrase" more', text('a phrase', 'more')],
  ['@Ada', [{ kind: 'handle', screenName: 'Ada' }]],
  ['@ñandú', [{ kind: 'handle', screenName: 'ñandú' }]],
  ['"@ada"', text('@ada')],
  ['from:ada #tag since:2024-02-29', text('from:ada', '#tag', 'since:2024-02-29')],
])('a search for accounts has words, phrases and handles: %j', (query, terms) => {
  expect(parseFind(query, { isForUsers: true })).toEqual(terms);
});

test.each<[string, SearchTerm[]]>([
  ['tea OR coffee', [{ kind: 'any', texts: ['tea', 'coffee'] }]],
  [
    'hot tea OR "good coffee" OR milk now',
    [...text('hot'), { kind: 'any', texts: ['tea', 'good coffee', 'milk'] }, ...text('now')],
  ],
  ['tea or coffee', text('tea', 'or', 'coffee')],
  ['OR tea OR', text('OR', 'tea', 'OR')],
  ['tea "OR" coffee', text('tea', 'OR', 'coffee')],
  ['tea OR #tag', [...text('tea', 'OR'), { kind: 'hashtag', tag: 'tag' }]],
  ['tea -coffee -"hot milk"', [...text('tea'), { kind: 'not', text: 'coffee' }, { kind: 'not', text: 'hot milk' }]],
  ['tea - coffee, well-known', text('tea', '-', 'coffee,', 'well-known')],
  ['-from:ada -#tag', text('-from:ada', '-#tag')],
])('a search of the store has alternatives and exclusions: %j', (query, terms) => {
  expect(parseFind(query, { isForUsers: false })).toEqual(terms);
  // The service has neither.
  expect(parseSearch(query).every(({ kind }) => kind !== 'any' && kind !== 'not')).toBe(true);
});
