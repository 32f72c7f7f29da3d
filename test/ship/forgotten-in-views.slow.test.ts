import { readdirSync } from 'node:fs';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { createViews } from '../../src/ship/views/create-views.ts';
import { findInLake } from '../../src/ship/views/fact-places.ts';
import { openStore } from '../../src/store/store.ts';
import { openLeased, pageOf, progressOf, rows, tweet, user } from '../store/support.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { addLake, storePages } from './shipped-store.ts';

/** Creates the views of a lake as it is now. */
async function openViews(lake: string): Promise<DuckDBConnection> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  const tables = new Set(readdirSync(lake));
  for (const statement of createViews('duckdb', findInLake('duckdb', { root: lake, tables })))
    await connection.run(statement);
  return connection;
}

/** Finds the views that show an account: its id, its handle, or one of its tweets. */
async function findShowing(connection: DuckDBConnection): Promise<string[]> {
  const names = await connection.runAndReadAll('select view_name from duckdb_views() where not internal order by 1');
  const showing: string[] = [];
  for (const [view] of names.getRowsJS() as [string][]) {
    const found = await connection.runAndReadAll(`select to_json(v)::varchar from ${view} v`);
    if ((found.getRowsJS() as [string][]).some(([row]) => /(?<![\da-z])(?:777|a777|77791|77792)(?![\da-z])/.test(row)))
      showing.push(view);
  }
  return showing;
}

test('an account that is forgotten after it was shipped is hidden in every view', async () => {
  const path = tempFile('mine.db');
  const lake = tempDir();
  await openStore(path)[Symbol.asyncDispose]();
  addLake(path, lake);
  // The snapshot of an empty store: what follows are facts of pages.
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  const views = await openViews(lake);
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
  await runSuccessfully(['forget', 'id:777', '--yes', '--db', path]);
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  // Who is hidden is known by the hashes of what the files have.
  expect((await findShowing(views)).filter((view) => !view.startsWith('_forgotten_'))).toEqual([]);
}, 300_000);
