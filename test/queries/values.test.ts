import { describe, expect, test } from 'vitest';
import { findTweets } from '#analysis/find/find-tweets.ts';
import { bindValues } from '#analysis/queries/bind-values.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import type { QueryParameter, SavedQuery } from '#analysis/queries/saved-query.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { newStore, spec, startCrawl, tweet, user } from '../store/support.ts';

const NOW = Date.parse('2026-03-15T10:20:30.400Z');

/** A query that returns the values of its parameters and their types. */
const queryOf = (...parameters: readonly Omit<QueryParameter, 'description'>[]): SavedQuery => ({
  name: 'values',
  file: 'values.sql',
  isBuiltIn: false,
  title: 'T',
  topic: 'T',
  description: 'D',
  needs: [],
  chart: undefined,
  example: { who: 'nasa' },
  parameters: parameters.map((each) => ({
    description: 'a description',
    ...each,
  })),
  sql: `select ${parameters.map(({ name }) => `:${name} as ${name}, typeof(:${name}) as type_of_${name}`).join(', ')}`,
});

/** A store with three accounts; esa was called nasa before, and nobody is called so now. */
async function storeWithAccounts() {
  const store = newStore();
  const crawl = await startCrawl(store);
  const called = (restId: string, screenName: string) => user(restId, { screenName });
  await crawl.store({ users: [called('1', 'nasa'), called('2', 'Ünal'), called('3', 'old')] });
  await crawl.store({
    users: [called('1', 'esa')],
    tweets: [tweet('77', { text: 'rain', authorRestId: '1', createdAt: NOW })],
  });
  return openReadOnly(store.path);
}

/** The value that a statement gets, and its type. */
async function valueOf(parameter: Omit<QueryParameter, 'name' | 'description'>, typed: unknown): Promise<unknown> {
  using db = await storeWithAccounts();
  const [row] = runSavedQuery(db, queryOf({ name: 'value', ...parameter }), { value: typed }, NOW).rows;
  return row;
}

describe('a value is bound as its type says:', () => {
  test.each<[type: string, parameter: Omit<QueryParameter, 'name' | 'description'>, typed: unknown, bound: unknown[]]>([
    ['an account by handle', { type: 'account' }, 'ESA', ['1', 'text']],
    ['an account by handle with @', { type: 'account' }, '@ünal', ['2', 'text']],
    ['an account by a former handle', { type: 'account' }, 'nasa', ['1', 'text']],
    ['an account by id', { type: 'account' }, 'id:3', ['3', 'text']],
    ['an account by address', { type: 'account' }, 'https://example.org/old', ['3', 'text']],
    ['a tweet', { type: 'tweet' }, '77', ['77', 'text']],
    ['a tweet by address', { type: 'tweet' }, 'https://example.org/esa/status/77', ['77', 'text']],
    ['a day', { type: 'time' }, '2025-01-31', ['2025-01-31T00:00:00.000Z', 'text']],
    ['a time', { type: 'time' }, '2025-01-31T12:00:00Z', ['2025-01-31T12:00:00.000Z', 'text']],
    ['an age of days', { type: 'time' }, '14d', ['2026-03-01T00:00:00.000Z', 'text']],
    ['an age of hours', { type: 'time' }, '10h', ['2026-03-15T00:20:30.400Z', 'text']],
    ['an integer', { type: 'integer' }, '12', [12, 'integer']],
    ['a negative number', { type: 'integer' }, -12, [-12, 'integer']],
    ['a choice', { type: 'choice', values: ['day', 'week'] }, 'week', ['week', 'text']],
    ['a text of digits', { type: 'text' }, '0012', ['0012', 'text']],
    ['an empty text', { type: 'text' }, '', ['', 'text']],
    ['a default', { type: 'integer', default: 7 }, undefined, [7, 'integer']],
    ['a default age', { type: 'time', default: '1d' }, undefined, ['2026-03-14T00:00:00.000Z', 'text']],
    ['a default of null', { type: 'account', default: null }, undefined, [null, 'null']],
  ])('%s', async (_, parameter, typed, bound) => {
    expect(await valueOf(parameter, typed)).toEqual(bound);
  });
});

describe('a wrong value is refused, with an example:', () => {
  test.each<[text: unknown, parameter: Omit<QueryParameter, 'name' | 'description'>, message: string]>([
    [
      'a b',
      { type: 'account' },
      '--who should be an account: nasa, @nasa, id:11348282 or the address of its profile; not "a b"',
    ],
    ['nasa', { type: 'tweet' }, '--who should be a tweet: its id or its address; not "nasa"'],
    ['2025-02-30', { type: 'time' }, '--who should be a day such as 2024-01-31'],
    ['99999999d', { type: 'time' }, '--who should be a day such as 2024-01-31'],
    ['ten', { type: 'integer' }, '--who should be a whole number; not "ten"'],
    ['1.5', { type: 'integer' }, '--who should be a whole number; not "1.5"'],
    ['0', { type: 'integer', min: 1 }, '--who should be a whole number from 1; not "0"'],
    ['9', { type: 'integer', max: 8 }, '--who should be a whole number to 8; not "9"'],
    ['year', { type: 'choice', values: ['day', 'week'] }, '--who should be one of day, week; not "year"'],
    ['a b', { type: 'job' }, '--who should be the name of a job: letters, digits, - and _; not "a b"'],
    [{}, { type: 'text' }, '--who should be a text or a whole number'],
    [undefined, { type: 'text' }, 'values needs --who: a description'],
  ])('%j', async (typed, parameter, message) => {
    using db = await storeWithAccounts();
    const bind = () => bindValues(db, queryOf({ name: 'who', ...parameter }), { who: typed }, NOW);
    expect(bind).toThrow(UsageError);
    expect(bind).toThrow(message);
    const command = expect.objectContaining({ name: 'query run', args: 'values --who nasa' }) as object;
    expect(bind).toThrow(expect.objectContaining({ command }));
  });

  test('a parameter that the query does not have', async () => {
    using db = await storeWithAccounts();
    const query = queryOf({ name: 'who', type: 'text' }, { name: 'since', type: 'time' });
    expect(() => bindValues(db, query, { until: '1d' }, NOW)).toThrow('values has no parameter until');
  });
});

describe('what is not in the store was not collected:', () => {
  test.each([
    ['account', 'nobody', 'not collected: the database does not have the account nobody', 'profile nobody'],
    ['account', 'id:9', 'not collected: the database does not have the account id:9', 'profile id:9'],
    ['account', "$('x')", "not collected: the database does not have the account $('x')", "profile '$('\\''x'\\'')'"],
    ['tweet', '78', 'not collected: the database does not have the tweet 78', 'tweet 78'],
    [
      'search',
      '#rain "a b"',
      `not collected: the database does not have the search '#rain "a b"'`,
      `search '#rain "a b"'`,
    ],
  ] as const)('%s %s', async (type, typed, message, args) => {
    using db = await storeWithAccounts();
    const bind = () => bindValues(db, queryOf({ name: 'who', type }), { who: typed }, NOW);
    expect(bind).toThrow(expect.objectContaining({ message, command: { name: 'crawl', args, result: 'collects it' } }));
    expect(bind).toThrow(TrawlError);
  });

  test.each([
    ['job', 'there is no job daily'],
    ['panel', 'there is no panel daily'],
  ] as const)('%s', async (type, message) => {
    using db = await storeWithAccounts();
    expect(() => bindValues(db, queryOf({ name: 'who', type }), { who: 'daily' }, NOW)).toThrow(message);
  });
});

test.each([
  ['from:leoPixel', 'from:leopixel'],
  ['FROM:LEOPIXEL', 'from:leopixel'],
  ['from:Ünal', 'from:ünal'],
  ['#Tea', '#Tea'],
  ['#tea', '#tea'],
])('the search %s is found by the spelling that lists of crawls show', async (typed, target) => {
  const store = newStore();
  await store.write.openCrawls(
    [
      spec({ kind: 'search', target: 'from:leopixel', handle: 'leoPixel' }),
      spec({ kind: 'search', target: 'from:ünal', handle: 'Ünal' }),
      spec({ kind: 'search', target: '#Tea' }),
      spec({ kind: 'search', target: '#tea' }),
    ],
    1,
  );
  using db = openReadOnly(store.path);
  const { bound, targets } = bindValues(db, queryOf({ name: 'who', type: 'search' }), { who: typed }, NOW);
  expect(bound).toEqual({ who: target });
  expect(targets['who']).toMatchObject({ value: target, label: expect.stringContaining(target) as string });
});

test('rows have numbers, and texts for integers that no number holds', async () => {
  using db = await storeWithAccounts();
  const query = { ...queryOf(), sql: "select 1 as a, 1.5 as b, 9007199254740993 as c, null as d, 'x' as e" };
  expect(runSavedQuery(db, query)).toEqual({
    columns: ['a', 'b', 'c', 'd', 'e'],
    rows: [[1, 1.5, '9007199254740993', null, 'x']],
    missing: [],
    bound: {},
  });
});

test('a query leaves its connection able to search', async () => {
  using db = await storeWithAccounts();
  const { rows } = runSavedQuery(db, { ...queryOf(), sql: 'select 1' }, {}, NOW);
  expect(rows).toHaveLength(1);
  // The search creates a temporary table.
  expect(findTweets(db, 'rain', { order: 'relevance', limit: 10, includeHidden: false }).results).toHaveLength(1);
});
