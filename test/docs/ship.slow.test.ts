import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { renderShipPage, SHIP_PAGE } from '../../scripts/fact-docs.ts';
import { openStore } from '../../src/store/store.ts';
import { addLake, storePages } from '../ship/shipped-store.ts';
import { runSuccessfully } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const page = readFileSync(SHIP_PAGE, 'utf8');

test('the page lists all facts', () => {
  expect(renderShipPage(page)).toBe(page);
});

test('the statements of the page run on a lake', async () => {
  const path = tempFile('mine.db');
  const lake = tempDir();
  let storeId: string;
  {
    await using store = openStore(path);
    storeId = store.id;
    await storePages(store, '1', 100);
  }
  addLake(path, lake);
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  await runSuccessfully(['forget', 'id:111', '--yes', '--db', path]);
  await runSuccessfully(['ship', 'run', '--once', '--db', path]);
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  onTestFinished(() => connection.closeSync());
  const results: unknown[][][] = [];
  for (const [, block] of page.matchAll(/```sql\n([^]*?)```/g)) {
    const statements = block!.replaceAll(
      /'(\w+)\/\*\/\*\.parquet'/g,
      (_, table: string) => `'${join(lake, table)}/*/*.parquet'`,
    );
    const reader = await connection.runAndReadAll(statements);
    results.push(reader.getRowsJS() as unknown[][]);
  }
  const [followers, accounts, requests, remembered] = results;
  expect(followers).toHaveLength(9);
  expect(accounts?.[0]).toEqual(['1', 'a1', 2n]);
  expect(requests).toMatchObject([[storeId, expect.anything(), 3n]]);
  const ids = remembered!.flat();
  expect(ids).toContain('112');
  expect(ids).not.toContain('111');

  // The views hide the account everywhere.
  await connection.run('drop view erasures');
  await connection.run((await runSuccessfully(['ship', 'views', lake])).stdout);
  const shown = await connection.runAndReadAll(`select count(*) filter (where id = '111'), count(*) from (
    select rest_id as id from v_users union all select follower_rest_id from v_current_follows)`);
  expect(shown.getRowsJS()).toEqual([[0n, 17n]]);
});
