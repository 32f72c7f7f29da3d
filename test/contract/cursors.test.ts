import { describe, expect, test } from 'vitest';
import type { EndpointName } from '#service/contract/endpoints.ts';
import { readPage } from '#service/contract/wire-page.ts';

/**
 * Invariant 4: the values of a cursor, in every place where one may stand. The expectations are the table of values,
 * written down once for all places.
 */

const UNREADABLE = { type: 'unreadable', value: null };
const END = { type: 'end', value: null };
const next = (value: string) => ({ type: 'next', value });

type Endpoint = Extract<EndpointName, 'user-tweets' | 'followers' | 'search' | 'list-latest-tweets' | 'tweet-detail'>;

/** A page with these instructions, or with the first of them where the endpoint has no such level. */
function pageOf(endpoint: Endpoint, ...instructions: object[]): unknown {
  const [flat] = instructions;
  const data = {
    'user-tweets': { user: { result: { id: '1' } }, timeline: { instructions } },
    followers: { user: { id: '1' }, followers: { timeline: { instructions } } },
    search: { timeline: { instructions } },
    'list-latest-tweets': { tweets: flat },
    'tweet-detail': { tweet: { id: '1', replies: flat } },
  };
  return { data: data[endpoint] };
}

const read = (endpoint: Endpoint, ...instructions: object[]) => readPage(endpoint, pageOf(endpoint, ...instructions));
const driftOf = (endpoint: Endpoint, ...instructions: object[]) =>
  read(endpoint, ...instructions).drift.map(({ field }) => field);
const entry = (content: unknown, entryId = 'cursor-bottom-0') => ({ entryId, sortIndex: '0', content });
const bottom = (value: unknown) => entry({ entryType: 'TimelineTimelineCursor', value, cursorType: 'Bottom' });

/** Values, and what each means wherever it stands as `value`. */
const VALUES: readonly (readonly [value: unknown, means: object])[] = [
  ['abc', next('abc')],
  ['0', next('0')],
  [0, next('0')],
  [42, next('42')],
  [Number.MAX_SAFE_INTEGER, next('9007199254740991')],
  [null, END],
  ['', END],
  [-1, UNREADABLE],
  [1.5, UNREADABLE],
  [2 ** 53, UNREADABLE],
  [true, UNREADABLE],
  [false, UNREADABLE],
  [{}, UNREADABLE],
  [{ value: 'abc' }, UNREADABLE],
  [[], UNREADABLE],
  [['abc'], UNREADABLE],
];

/** Each place, as an instruction that holds a value there. */
const PLACES: Readonly<Record<string, (value: unknown, type?: unknown) => object>> = {
  'an entry': (value, cursorType) => ({ entries: [entry({ value, cursorType })] }),
  'an object beside the entries': (value, cursorType) => ({ entries: [], cursor: { value, cursorType } }),
  'content.itemContent': (value, cursorType) => ({ entries: [entry({ itemContent: { value, cursorType } })] }),
  'content.operation.cursor': (value, cursorType) => ({
    entries: [entry({ operation: { cursor: { value, cursorType } } })],
  }),
};
const ENDPOINTS: readonly Endpoint[] = ['user-tweets', 'followers', 'search', 'list-latest-tweets', 'tweet-detail'];
const EVERYWHERE = ENDPOINTS.flatMap((endpoint) => Object.keys(PLACES).map((place) => [endpoint, place] as const));

describe.each(EVERYWHERE)('a cursor of %s in %s', (endpoint, place) => {
  const of = (value: unknown, type?: unknown) => read(endpoint, PLACES[place]!(value, type)).cursor;

  test.each(VALUES)('with the value %j is read by the table', (value, means) => {
    expect(of(value)).toEqual(means);
    expect(of(value, null)).toEqual(means);
    expect(of(value, 'Bottom')).toEqual(means);
  });

  test('of type Top is ignored', () => {
    for (const [value] of VALUES) expect(of(value, 'Top')).toEqual(END);
  });

  test.each(['ShowMore', 'bottom', 5, {}])('of type %j alone is unreadable', (type) => {
    expect(of('abc', type)).toEqual(UNREADABLE);
    expect(of({}, type)).toEqual(UNREADABLE);
    expect(of(undefined, type)).toEqual(UNREADABLE);
  });

  test('of type Bottom without a value is the end; without both, it is unreadable', () => {
    expect(of(undefined, 'Bottom')).toEqual(END);
    expect(of(undefined)).toEqual(UNREADABLE);
  });
});

describe('a bare cursor beside the entries', () => {
  test.each(ENDPOINTS)('of %s is followed and counts as drift', (endpoint) => {
    expect(read(endpoint, { entries: [], cursor: 'abc' }).cursor).toEqual(next('abc'));
    expect(read(endpoint, { entries: [], cursor: 7 }).cursor).toEqual(next('7'));
    expect(driftOf(endpoint, { entries: [], cursor: 'abc' })).toEqual(['cursor (undocumented place)']);
  });

  test.each([[true], [false], [[]], [{}], [1.5], [{ next: 'abc' }]])('that is %j is unreadable', (cursor) => {
    expect(read('followers', { entries: [], cursor }).cursor).toEqual(UNREADABLE);
    expect(read('user-tweets', { entries: [], cursor }).cursor).toEqual(UNREADABLE);
  });

  test.each([[null], ['']])('that is %j is the end', (cursor) => {
    expect(read('followers', { entries: [], cursor }).cursor).toEqual(END);
  });

  test('further out is followed, too', () => {
    const page = (outer: object, inner: object) => ({
      data: { ...outer, followers: { timeline: { instructions: [{ entries: [] }], ...inner } } },
    });
    for (const cursor of ['abc', { value: 'abc', cursorType: 'Bottom' }]) {
      expect(readPage('followers', page({ cursor }, {})).cursor).toEqual(next('abc'));
      expect(readPage('followers', page({}, { cursor })).cursor).toEqual(next('abc'));
    }
    expect(readPage('followers', page({ cursor: {} }, {})).cursor).toEqual(UNREADABLE);
  });
});

describe('of several cursors', () => {
  const top = (value: string) => entry({ value, cursorType: 'Top' }, 'cursor-top-0');
  const object = (value: unknown, cursorType?: string) => ({ value, cursorType });

  test('one of type Top in a later instruction does not override Bottom', () => {
    expect(read('followers', { entries: [], cursor: object('A', 'Bottom') }, { cursor: object('T', 'Top') })).toEqual(
      expect.objectContaining({ cursor: next('A'), drift: [] }),
    );
    expect(read('user-tweets', { entries: [bottom('A'), top('T')] }, { entries: [top('U')] })).toEqual(
      expect.objectContaining({ cursor: next('A'), drift: [], unexpectedEntries: [] }),
    );
  });

  test('an entry that is named top and has no type is ignored', () => {
    expect(read('user-tweets', { entries: [entry({ value: 'T' }, 'cursor-top-9')] }).cursor).toEqual(END);
  });

  test('the documented form wins in any order, and the conflict counts as drift', () => {
    const [asEntry, asObject] = [bottom('E'), object('O', 'Bottom')];
    for (const instructions of [
      [{ entries: [asEntry], cursor: asObject }],
      [{ entries: [], cursor: asObject }, { entries: [asEntry] }],
      [{ entries: [asEntry] }, { entries: [], cursor: asObject }],
    ]) {
      expect(read('followers', ...instructions).cursor).toEqual(next('O'));
      expect(read('user-tweets', ...instructions).cursor).toEqual(next('E'));
      expect(driftOf('followers', ...instructions)).toEqual(['cursor (two that differ)']);
      expect(driftOf('user-tweets', ...instructions)).toEqual(['cursor (two that differ)']);
    }
  });

  test('two places that agree are no conflict', () => {
    expect(driftOf('followers', { entries: [bottom('A')], cursor: object('A', 'Bottom') })).toEqual([]);
  });

  test('an end in the documented place does not count if another place has a cursor', () => {
    for (const cursor of [undefined, null, object(null), object('', 'Bottom')]) {
      expect(read('followers', { entries: [bottom('E')], cursor }).cursor).toEqual(next('E'));
      expect(driftOf('followers', { entries: [bottom('E')], cursor })).toEqual(['cursor (undocumented place)']);
    }
  });

  test('an unreadable cursor is no end, whatever the other place says', () => {
    expect(read('followers', { entries: [bottom('')], cursor: object({}) }).cursor).toEqual(UNREADABLE);
    expect(read('followers', { entries: [bottom({})], cursor: object('') }).cursor).toEqual(UNREADABLE);
    expect(read('followers', { entries: [bottom('E')], cursor: object({}) }).cursor).toEqual(UNREADABLE);
    expect(read('followers', { entries: [bottom({})], cursor: object('O') }).cursor).toEqual(next('O'));
  });

  test('one of an unknown type is ignored if there is one of type Bottom', () => {
    const more = entry({ value: 'M', cursorType: 'ShowMoreThreads' }, 'cursor-showmorethreads-1');
    expect(read('tweet-detail', { entries: [bottom('A'), more] }).cursor).toEqual(next('A'));
    expect(read('tweet-detail', { entries: [more, bottom('')] }).cursor).toEqual(END);
    expect(read('tweet-detail', { entries: [more, top('T')] }).cursor).toEqual(UNREADABLE);
    expect(read('tweet-detail', { entries: [more] }).cursor).toEqual(UNREADABLE);
  });
});

describe('where a cursor is followed that the specification does not document', () => {
  test.each([
    ['user-tweets', PLACES['an object beside the entries']!('A')],
    ['followers', PLACES['an entry']!('A')],
    ['user-tweets', PLACES['content.itemContent']!('A')],
    ['user-tweets', PLACES['content.operation.cursor']!('A')],
    ['user-tweets', { entries: [], entry: bottom('A') }],
    ['user-tweets', { entries: [{ content: { value: 'A', cursorType: 'Bottom' } }] }],
    ['user-tweets', { entries: [entry({ value: 'A', cursorType: 'Bottom' }, 'cursor-next-1')] }],
  ] as const)('in %s as %j counts as drift', (endpoint, instruction) => {
    expect(read(endpoint, instruction).cursor).toEqual(next('A'));
    expect(driftOf(endpoint, instruction)).toEqual(['cursor (undocumented place)']);
  });

  test('a number counts as drift, and the documented forms do not', () => {
    expect(driftOf('user-tweets', { entries: [bottom(5)] })).toEqual(['cursor (a number)']);
    expect(driftOf('user-tweets', { entries: [bottom('5')] })).toEqual([]);
    expect(driftOf('followers', { entries: [], cursor: { value: '5', cursorType: 'Bottom' } })).toEqual([]);
    for (const place of ['an entry', 'an object beside the entries'])
      expect(driftOf('search', PLACES[place]!('5', 'Bottom'))).toEqual([]);
  });
});
