import { describe, expect, test } from 'vitest';
import { readCatalogue } from '../../src/queries/catalogue.ts';
import { runSavedQuery } from '../../src/queries/run-query.ts';
import { openReadOnly } from '../../src/store/sqlite/database.ts';
import { withCrawledStore } from './crawled-store.ts';

/** Every query of trawl answers its example on a store that was crawled. */

const store = withCrawledStore();
const { queries } = readCatalogue().readAll();

/** Columns that have a value only if something rare has happened. */
const OFTEN_EMPTY = new Set(['change', 'deletion_state', 'error', 'older_at', 'reason', 'taken_by', 'valid_to']);

describe('the query', () => {
  test.each(queries.map((query) => [query.name, query] as const))('%s answers its example', async (_, query) => {
    using db = openReadOnly(await store.file());
    // The ids of tweets are those of the world.
    const tweets = query.parameters.filter(({ type }) => type === 'tweet').map((parameter) => parameter.name);
    const values = { ...query.example, ...Object.fromEntries(tweets.map((key) => [key, store.mostAnswered()])) };
    const { columns, rows, missing } = runSavedQuery(db, query, values);
    expect(rows.length).toBeGreaterThan(0);
    expect(new Set(columns).size, 'a column has the name of another').toBe(columns.length);
    // A column without any value would mean that the question is about something that is not there.
    const empty = columns.filter((_, i) => rows.every((row) => row[i] === null));
    expect(empty.filter((column) => !OFTEN_EMPTY.has(column))).toEqual([]);
    expect(missing.filter(({ state }) => state === 'not collected')).toEqual([]);
    const { x, y, series, value, partial } = query.chart ?? {};
    const drawn = [x, y, series, value, partial].filter((column) => column !== undefined);
    expect(columns).toEqual(expect.arrayContaining(drawn));
  });
});
