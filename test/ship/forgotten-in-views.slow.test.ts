import { readdirSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { createTables } from '../../src/ship/views/create-tables.ts';
import { createViews } from '../../src/ship/views/create-views.ts';
import { isDerived } from '../../src/ship/views/define-views.ts';
import { findInLake } from '../../src/ship/views/fact-places.ts';
import { openStore } from '../../src/store/store.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { addLake, storePages } from './shipped-store.ts';

async function open(): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  return connection;
}

/** Creates the views of a lake as it is now, or tables with their rows. */
async function create(connection: DuckDBConnection, lake: string, write: typeof createViews): Promise<void> {
  const tables = new Set(readdirSync(lake));
  for (const statement of write('duckdb', findInLake('duckdb', { root: lake, tables })))
    await connection.run(statement);
}

/** Returns the rows of all views and tables, by name. */
async function readAll(connection: DuckDBConnection): Promise<Map<string, string[]>> {
  const names = await connection.runAndReadAll(
    `select view_name from duckdb_views() where not internal
     union all select table_name from duckdb_tables() where table_name <> 'tables_created' order by 1`,
  );
  const all = new Map<string, string[]>();
  for (const [name] of names.getRowsJS() as [string][]) {
    const found = await connection.runAndReadAll(`select to_json(v)::varchar from ${name} v order by 1`);
    all.set(
      name,
      (found.getRowsJS() as [string][]).map(([row]) => row),
    );
  }
  return all;
}

/** Finds the views and tables that show an account: its id, its handle, or one of its tweets. */
async function findShowing(connection: DuckDBConnection): Promise<string[]> {
  const showsAccount = (row: string): boolean => /(?<![\da-z])(?:777|a777|77791|77792)(?![\da-z])/.test(row);
  return [...(await readAll(connection))].flatMap(([name, rows]) => (rows.some(showsAccount) ? [name] : []));
}

const isShown = (name: string): boolean => !name.startsWith('_forgotten_');

test('an account that is forgotten after it was shipped is hidden in every view, and in tables when they are created again', async () => {
  const path = tempFile('mine.db');
  const lake = tempDir();
  await openStore(path)[Symbol.asyncDispose]();
  addLake(path, lake);
  // The snapshot of an empty store: what follows are facts of pages.
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  const [views, tables] = [await open(), await open()];
  await create(views, lake, createViews);
  {
    await using store = openStore(path);
    await storePages(store, '777', 100);
    await storePages(store, '888', 200);
    await storePages(store, '777', 300);
    const reply = tweet('500', {
      text: 'yes',
      authorRestId: '2',
      inReplyToStatusRestId: '77791',
      inReplyToScreenName: 'a777',
    });
    const { id, lease } = await openLeased(store, 400, { kind: 'tweet', target: '77791' });
    await store.write.commitPage(
      pageOf(id, lease, 400, {
        rows: rows({
          users: [user('2'), user('777', { detailLevel: 'reference' })],
          tweets: [tweet('77791', { authorRestId: '777', text: 'changed' }), reply],
          nested: { tweetId: '77791', replies: ['500'] },
        }),
      }),
    );
    const replies = await openLeased(store, 500, { kind: 'timeline', target: 'a777', options: '{"maxPages":9}' });
    await store.write.commitPage(
      pageOf(replies.id, replies.lease, 500, {
        coverage: {
          spans: [
            { newest: { id: '77792', at: 2 }, oldest: { id: '77791', at: 1 }, bottom: 'served', pages: 1, items: 2 },
          ],
          reread: { above: 0, below: 9 },
        },
        rows: rows({ users: [user('777', { detailLevel: 'reference' })] }),
        progress: progressOf({ targetRestId: '777' }),
        end: { state: 'complete', ending: 'served' },
      }),
    );
  }
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  const before = await findShowing(views);
  expect(before).toEqual(
    expect.arrayContaining([
      ...['crawls', 'coverage_claims', 'edge_sightings', 'list_rereads', 'list_snapshots', 'reply_sightings'],
      ...['tweet_sightings', 'user_sightings', 'v_completeness', 'v_complete_lists', 'v_coverage', 'v_current_follows'],
      ...['v_deleted_tweets', 'v_follows', 'v_replies', 'v_tweet_changes', 'v_tweet_versions', 'v_tweets'],
      ...['v_user_changes', 'v_user_versions', 'v_users'],
    ]),
  );
  await create(tables, lake, createTables);
  expect(await readAll(tables)).toEqual(await readAll(views));

  await runSuccessfully(['forget', 'id:777', '--yes', '--db', path]);
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  // Who is hidden is known by the hashes of what the files have.
  expect((await findShowing(views)).filter(isShown)).toEqual([]);
  // Tables have the rows of before: docs/ship/views.md says so.
  expect((await findShowing(tables)).filter(isShown)).toEqual(before.filter(isDerived));
  await create(tables, lake, createTables);
  expect((await findShowing(tables)).filter(isShown)).toEqual([]);
  expect(await readAll(tables)).toEqual(await readAll(views));
}, 300_000);
