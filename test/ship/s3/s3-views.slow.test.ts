import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { buildChildEnvironment } from '../../../src/config.ts';
import { hasChdb } from '../../sim/fleet/clickhouse.ts';
import { newStore } from '../../store/support.ts';
import { runCli, runSuccessfully } from '../../support/cli.ts';
import { tempFile } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { storePages } from '../shipped-store.ts';
import { downloadLake, startS3Server } from './s3-server.ts';

const LAKE = 's3://lake/all';

/** Two stores that have shipped to one lake. */
async function shipTwoStores() {
  const { env } = await startS3Server();
  for (const at of [100, 500]) {
    const store = newStore();
    await storePages(store, '1', at);
    await runSuccessfully(['ship', 'add', LAKE, '--db', store.path], { env });
    await runSuccessfully(['ship', 'run', '--once', '--db', store.path], { env });
    await storePages(store, '2', at + 100);
    await runSuccessfully(['ship', 'run', '--once', '--db', store.path], { env });
  }
  return env;
}

const QUERIES = [
  'select rest_id, screen_name, name, followers_count, verified, first_seen_at, last_seen_at from v_users order by rest_id',
  'select follower_rest_id, followee_rest_id, first_seen_at, last_seen_at from v_current_follows order by 1, 2',
  'select rest_id, author, text, favorite_count, first_seen_at from v_tweets order by rest_id',
];

test('views of a lake in S3 name its objects as each engine does, and not the key', async () => {
  const { env } = await startS3Server();
  expect(await runCli(['ship', 'views', LAKE], { env })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('nothing was shipped to'),
  });
  const shipped = await shipTwoStores();
  const duckdb = await runSuccessfully(['ship', 'views', LAKE], { env: shipped });
  expect(duckdb.stdout).toContain("read_parquet('s3://lake/all/user_sightings/*/*.parquet'");
  const clickhouse = await runSuccessfully(['ship', 'views', LAKE, '--engine', 'clickhouse'], { env: shipped });
  expect(clickhouse.stdout).toContain(
    `s3('${shipped['AWS_ENDPOINT_URL']}/lake/all/user_sightings/*/*.parquet', 'Parquet'`,
  );
  expect(duckdb.stdout + clickhouse.stdout).not.toContain('S3RVER');
});

test.skipIf(!hasChdb())('ClickHouse shows the same rows from S3 as DuckDB from a copy', async () => {
  const env = await shipTwoStores();
  const { stdout: views } = await runSuccessfully(['ship', 'views', LAKE, '--engine', 'clickhouse'], { env });
  const file = tempFile('queries.json');
  writeFileSync(
    file,
    JSON.stringify({ statements: views.split(/;\n+/).filter((text) => text.trim() !== ''), queries: QUERIES }),
  );
  const args = ['--import=tsx', join(import.meta.dirname, 'ask-chdb.ts'), file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...buildChildEnvironment(), ...env } });
  const copy = await downloadLake(LAKE, env);
  const { stdout: own } = await runSuccessfully(['ship', 'views', copy]);
  const expected = await Promise.all(QUERIES.map((query) => askLake([], query, own)));
  expect(JSON.parse(stdout)).toEqual(expected);
  expect(expected.map((rows) => rows.length > 3)).toEqual([true, true, true]);
});
