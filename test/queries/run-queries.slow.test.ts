import { describe, expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import type { SavedQuery } from '#analysis/queries/saved-query.ts';
import type { KindName } from '#service/kinds/kinds.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { withCrawledStore } from './crawled-store.ts';

/** Every query of trawl answers its example on a store that was crawled. */

const store = withCrawledStore();
const { queries } = readCatalogue().readAll();

/** Columns that have a value only if something rare has happened; `reported` has none for timelines. */
const OFTEN_EMPTY = new Set([
  'change',
  'deletion_state',
  'error',
  'older_at',
  'reason',
  'reported',
  'taken_by',
  'valid_to',
]);

const NEWEST_TWEET = Date.UTC(2026, 0, 1);

describe('the query', () => {
  test.each(queries.map((query) => [query.name, query] as const))('%s answers its example', async (_, query) => {
    using db = openReadOnly(await store.file());
    // The ids of tweets are those of the world.
    const tweets = query.parameters.filter(({ type }) => type === 'tweet').map((parameter) => parameter.name);
    const values = { ...query.example, ...Object.fromEntries(tweets.map((key) => [key, store.mostAnswered()])) };
    // The tweets of the world have a fixed date.
    if ('hours' in values) values['hours'] = Math.floor((Date.now() - NEWEST_TWEET) / 3_600_000);
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

/** A need of a complete list, as a query of its own. */
const queryThatNeeds = (kind: KindName): SavedQuery => ({
  name: 'q',
  file: 'q.sql',
  isBuiltIn: false,
  title: 'T',
  topic: 'T',
  description: 'D',
  sql: 'select :account',
  parameters: [
    {
      name: 'account',
      type: 'account',
      description: 'D',
    },
  ],
  needs: [
    {
      kinds: [kind],
      of: 'account',
    },
  ],
  chart: undefined,
  example: {},
});

test('a query needs no more of a list that v_completeness calls complete, and more of any other', async () => {
  using db = openReadOnly(await store.file());
  const lists = db.$client
    .prepare(
      `select kind, target_rest_id as restId, is_complete as isComplete from v_completeness
       where kind in ('timeline', 'followers', 'following', 'profile') and target_rest_id in (select rest_id from users)
         and target_rest_id not in (select rest_id from v_unavailable_accounts)`,
    )
    .all() as { kind: KindName; restId: string; isComplete: 0 | 1 }[];
  expect(new Set(lists.map(({ kind, isComplete }) => `${kind} ${isComplete}`))).toEqual(
    new Set(['timeline 0', 'timeline 1', 'followers 0', 'followers 1', 'following 1', 'profile 1']),
  );
  for (const { kind, restId, isComplete } of lists) {
    const { missing } = runSavedQuery(db, queryThatNeeds(kind), { account: `id:${restId}` });
    expect(missing.length === 0, `${kind} of ${restId}: ${JSON.stringify(missing)}`).toBe(isComplete === 1);
  }
});
