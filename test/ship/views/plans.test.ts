import { DuckDBInstance } from '@duckdb/node-api';
import { expect, onTestFinished, test } from 'vitest';
import { createFactTables } from '../../sim/fleet/fleet-engine.ts';

test('no view of DuckDB compares each row of a table with each row of another', async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  onTestFinished(() => connection.closeSync());
  for (const statement of createFactTables('duckdb')) await connection.run(statement);
  const ask = async (sql: string): Promise<unknown[][]> => (await connection.runAndReadAll(sql)).getRowsJS();
  const views = (await ask("select view_name from duckdb_views() where starts_with(view_name, 'v_')")).flat();
  expect(views).toContain('v_completeness');

  const joins = await Promise.all(
    views.map(async (view) => {
      const [plan] = await ask(`explain (format json) select * from ${String(view)}`);
      const kinds: readonly string[] = String(plan).match(/[A-Z_]+_JOIN/g) ?? [];
      return { view, kinds };
    }),
  );
  const all = joins.filter(({ kinds }) => kinds.includes('BLOCKWISE_NL_JOIN')).map(({ view }) => String(view));
  // Histories have a row for each column of a sighting.
  expect(all.filter((view) => !/^v_(user|tweet)_(changes|versions)$/.test(view))).toEqual([]);
  expect(joins.find(({ view }) => view === 'v_completeness')!.kinds).toContain('HASH_JOIN');
});
