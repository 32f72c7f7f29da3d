import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { compareRows, crawlWorlds } from './fleet/compare-fleet.ts';
import { listComparedColumns, writeEngineRows } from './fleet/compared-views.ts';
import { openDuckDb } from './fleet/duckdb.ts';
import { uniteRows } from './fleet/unite-rows.ts';
import { openStorePool } from './stores.ts';

const MINUTES = 60_000;
/** 2,000 by `npm run sim -- --fleet --seeds 2000`. */
const SEEDS = 25;

test(
  `the views of facts of three stores equal those of one store in ${SEEDS} seeds`,
  { timeout: 20 * MINUTES },
  async () => {
    const child = spawn('npm', ['run', '--silent', 'sim', '--', '--fleet', '--seeds', String(SEEDS)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(output).toContain(`${SEEDS} seeds, 0 differences`);
    expect(code).toBe(0);
  },
);

test('a union of rows instead of facts is found', { timeout: 20 * MINUTES }, async () => {
  using pool = await openStorePool();
  await using engine = await openDuckDb();
  const seeds = Array.from({ length: 8 }, (_, i) => i + 1);
  const { facts, rows } = await crawlWorlds(seeds, pool);
  for (const [view, key] of [
    ['v_users', ['rest_id']],
    ['v_tweets', ['rest_id']],
    ['v_follows', ['follower_rest_id', 'followee_rest_id']],
  ] as const) {
    const columns = listComparedColumns(pool.db, view);
    const united = writeEngineRows(view, columns, await uniteRows(engine, facts, { view, columns, key }));
    const differences = compareRows(rows.get(view)!, united, { engine: 'duckdb', view });
    expect(differences.length, view).toBeGreaterThan(0);
  }
});
