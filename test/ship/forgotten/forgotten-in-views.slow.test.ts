import { readdirSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { expect, test } from 'vitest';
import { createTables } from '../../../src/ship/views/create-tables.ts';
import { createViews } from '../../../src/ship/views/create-views.ts';
import { isDerived } from '../../../src/ship/views/define-views.ts';
import { findInLake } from '../../../src/ship/views/fact-places.ts';
import { openStore } from '../../../src/store/store.ts';
import { hasChdb } from '../../sim/fleet/clickhouse.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { startPostgres } from '../../support/postgres.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { ACCOUNT, OTHER_LISTS, readOtherLists, SHOWING, showsAccount, storeShownAccount } from './shown-account.ts';
import { createPostgresReader, openDuckDb, readClickHouse, readDuckDb, type ViewReader } from './view-readers.ts';

/** Creates the views of a lake as it is now, or tables with their rows. */
async function create(connection: DuckDBConnection, lake: string, write: typeof createViews): Promise<void> {
  const tables = new Set(readdirSync(lake));
  for (const statement of write('duckdb', findInLake('duckdb', { root: lake, tables })))
    await connection.run(statement);
}

/** An empty store that ships to a target, with bodies of pages. What follows are facts of pages. */
async function createStore(target: string): Promise<string> {
  const path = tempFile('mine.db');
  await openStore(path)[Symbol.asyncDispose]();
  await runSuccessfully(['ship', 'add', target, '--bodies', '--db', path]);
  await ship(path);
  return path;
}

const ship = (path: string) => runSuccessfully(['ship', 'run', '--once', '--quiet', '--db', path]);

/** Finds the views that show the account. Who is hidden is known by the hashes of what the target has. */
const findShowing = async (reader: ViewReader): Promise<string[]> =>
  [...(await reader.readAll())].flatMap(([name, rows]) =>
    !name.startsWith('_forgotten_') && rows.some(showsAccount) ? [name] : [],
  );

/** Starts a target, and returns what opens its views. */
type StartTarget = () => Promise<{ readonly target: string; readonly open: () => Promise<ViewReader> }>;

const DUCKDB: StartTarget = async () => {
  const lake = tempDir();
  return {
    target: lake,
    async open() {
      const connection = await openDuckDb();
      await create(connection, lake, createViews);
      return readDuckDb(connection);
    },
  };
};

const POSTGRES: StartTarget = async () => {
  const server = await startPostgres();
  return { target: server.address, open: () => createPostgresReader(server) };
};

const CLICKHOUSE: StartTarget = async () => {
  const lake = tempDir();
  return { target: lake, open: async () => readClickHouse(lake) };
};

const ENGINES: readonly (readonly [engine: string, start: StartTarget])[] = [
  ['DuckDB', DUCKDB],
  ['PostgreSQL', POSTGRES],
  ...(hasChdb() ? [['ClickHouse', CLICKHOUSE] as const] : []),
];

test.each(ENGINES)(
  'an account that is forgotten after it was shipped is hidden in every view of %s, and lists of others lack it',
  async (_, start) => {
    const { target, open } = await start();
    const path = await createStore(target);
    const reader = await open();
    await storeShownAccount(path);
    await ship(path);
    expect(await findShowing(reader)).toEqual(expect.arrayContaining(SHOWING));
    expect(await reader.ask(OTHER_LISTS)).toEqual([
      ['followers', '888', 'complete', 1, 0],
      ['followers', '999', 'complete', 1, 0],
    ]);

    await runSuccessfully(['forget', `id:${ACCOUNT}`, '--yes', '--quiet', '--db', path]);
    await ship(path);
    expect(await findShowing(reader)).toEqual([]);
    // Bodies without it stay.
    expect(await reader.ask('select status from bodies')).toEqual([[200]]);
    const lists = [
      ['followers', '888', 'complete', 1, 0],
      ['followers', '999', 'complete', 0, 1],
    ];
    expect(readOtherLists(path)).toEqual(lists);
    expect(await reader.ask(OTHER_LISTS)).toEqual(lists);

    await runSuccessfully(['ship', 'purge', target, '--quiet']);
    expect(await reader.ask(OTHER_LISTS)).toEqual(lists);
    expect(await reader.ask('select status from bodies')).toEqual([[200]]);
  },
  300_000,
);

test('tables still show a forgotten account until they are created again', async () => {
  const lake = tempDir();
  const path = await createStore(lake);
  await storeShownAccount(path);
  await ship(path);
  const tables = await openDuckDb();
  await create(tables, lake, createTables);
  const before = await findShowing(readDuckDb(tables));
  expect(before).toEqual(expect.arrayContaining(SHOWING));
  await runSuccessfully(['forget', `id:${ACCOUNT}`, '--yes', '--quiet', '--db', path]);
  await ship(path);
  // Tables have the rows of before: docs/ship/views.md says so.
  expect(await findShowing(readDuckDb(tables))).toEqual(before.filter(isDerived));
  await create(tables, lake, createTables);
  expect(await findShowing(readDuckDb(tables))).toEqual([]);
}, 300_000);
