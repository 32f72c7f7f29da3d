import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findUsers, type FindUsersOptions } from '#analysis/find/find-users.ts';
import type { TextRange } from '#base/search-text.ts';
import type { Db } from '#store/sqlite/database.ts';
import { addUser, temporaryStore, updateSearchIndex } from '../twin/support.ts';
import { isNaiveMatch, naiveHighlights } from './naive-search.ts';
import { searchedTexts } from './searched-texts.ts';

const ALL: FindUsersOptions = { order: 'relevance', limit: 100, includeHidden: false };

interface Profile {
  readonly screenName: string;
  readonly name: string;
  readonly description: string;
}

/** Stores accounts, and indexes them as the end of a crawl does. */
function refill(db: Db, profiles: readonly Profile[]): void {
  db.$client.exec('delete from _user_last_seen; delete from users; delete from crawls');
  for (const [i, profile] of profiles.entries())
    addUser(db, { id: i + 1, restId: String(i), followersCount: i, ...profile });
  updateSearchIndex(db);
}

const toPairs = (ranges: readonly TextRange[]) => ranges.map(({ start, end }) => [start, end]);

test('a search finds exactly the accounts that match, with exactly the places that match', () => {
  const db = temporaryStore();
  const handle = fc.constantFrom('cafe_first', 'Coffee', 'it_s', 'a2024', 'X', '1_cafe');
  fc.assert(
    fc.property(searchedTexts, fc.array(handle, { minLength: 4, maxLength: 4 }), ({ texts, terms }, handles) => {
      // Two texts are a profile.
      const profiles = Array.from({ length: Math.ceil(texts.length / 2) }, (_, i) => ({
        screenName: handles[i]!,
        name: texts[2 * i]!,
        description: texts[2 * i + 1] ?? '',
      }));
      refill(db, profiles);
      const sought = terms.map(({ term }) => term);
      const { results } = findUsers(db, terms.map(({ written }) => written).join(' '), ALL);
      const found = results.map(({ restId, highlights: { screenName, name, description } }) => [
        restId,
        [toPairs(screenName), toPairs(name), toPairs(description)],
      ]);
      const expected = profiles.flatMap(({ screenName, name, description }, i) => {
        const searched = [screenName, name, description];
        return isNaiveMatch(searched, sought)
          ? [[String(i), searched.map((each) => naiveHighlights(each, sought))]]
          : [];
      });
      expect(Object.fromEntries(found)).toEqual(Object.fromEntries(expected));
    }),
    { numRuns: 300 },
  );
});

test('accounts are sorted by relevance, then by followers', () => {
  const db = temporaryStore();
  const profile = (screenName: string, name: string, description: string): Profile => ({
    screenName,
    name,
    description,
  });
  refill(db, [
    profile('one', 'Coffee', 'hello there'),
    profile('two', 'Two', 'hello coffee'),
    profile('three', 'Coffee', 'hello there'),
  ]);
  const sorted = (query: string, order: FindUsersOptions['order'] = 'relevance') =>
    findUsers(db, query, { ...ALL, order }).results.map(({ screenName }) => screenName);
  expect(sorted('coffee')).toEqual(['three', 'one', 'two']);
  expect(sorted('coffee', 'followers')).toEqual(['three', 'two', 'one']);
  expect(sorted('@TWO')).toEqual(['two']);
  expect(sorted('@two coffee hello')).toEqual(['two']);
  expect(sorted('@two @one')).toEqual([]);
});

test('a search above its limits says so', () => {
  const db = temporaryStore();
  const profiles = ['東京', 'カメラ', 'a', 'b', 'c', 'd'].map((name) => ({
    screenName: 'x',
    name,
    description: '🎉 x',
  }));
  refill(db, profiles);
  const find = (query: string) => {
    const { results, limits } = findUsers(db, query, { ...ALL, bounds: { maxExamined: 3, maxRanked: 4 } });
    return { names: results.map(({ name }) => name), limits };
  };
  expect(find('東京')).toEqual({ names: ['東京'], limits: [] });
  expect(find('x ｶﾒﾗ')).toEqual({ names: ['カメラ'], limits: [] });
  expect(find('x')).toMatchObject({ names: { length: 4 }, limits: ['ranked'] });
  expect(find('x -東京')).toMatchObject({ names: { length: 3 }, limits: ['read'] });
  expect(find('-東京')).toMatchObject({ names: ['d', 'c', 'b'], limits: ['read'] });
});
