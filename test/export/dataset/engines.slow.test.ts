import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readCatalogue } from '#analysis/queries/catalogue.ts';
import { runSavedQuery } from '#analysis/queries/run-saved-query.ts';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { openReadOnly } from '#store/sqlite/database.ts';
import { withCrawledStore } from '../../queries/crawled-store.ts';
import { startS3Server } from '../../ship/s3/s3-server.ts';
import { askDuckDb } from '../../support/duckdb.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres.ts';
import { isInstalled } from '../../support/programs.ts';
import { tempDir } from '../../support/temp.ts';
import { QUESTIONS } from './questions.ts';
import { createDataset, newFolder, readDataPackage } from './support.ts';

/** Saved questions that other engines answer from the tables of a dataset as SQLite answers them from the store. */

const store = withCrawledStore();

/** Integers, decimals and null in one form. */
function toText(value: unknown): string {
  if (value === null) return '∅';
  const text = String(value as string | number | bigint);
  return /^-?\d+\.\d+$/.test(text) ? String(Number(text)) : text;
}

const formatAnswer = (rows: readonly (readonly unknown[])[]): string[] =>
  rows.map((row) => row.map(toText).join(' | '));

/** Returns the answers of an engine, and those of the saved queries. */
async function answer(ask: (sql: string) => Promise<unknown[][]> | unknown[][]) {
  using db = openReadOnly(await store.file());
  const answers: string[][] = [];
  const expected: string[][] = [];
  for (const { query, values, columns, sql } of QUESTIONS) {
    const saved = runSavedQuery(db, readCatalogue().read(query), values);
    const indexes = columns.map((column) => saved.columns.indexOf(column));
    const rows = [...saved.rows].map((row) => indexes.map((i) => row[i]));
    expect(rows, query).not.toEqual([]);
    answers.push([query, ...formatAnswer(await ask(sql))]);
    expected.push([query, ...formatAnswer(rows)]);
  }
  return { answers, expected };
}

/** Writes all rows of the store to a target. */
const write = async (path: string, partitions?: number, variables = {}): Promise<string> =>
  await createDataset(await store.file(), {
    path,
    format: 'parquet',
    selection: { includeDeleted: true },
    partitions,
    variables,
  });

const askFolder = (folder: string) => (sql: string) =>
  askDuckDb(
    folder,
    ...readDataPackage(folder).resources.map(({ name, path }) => {
      const files = [path].flat().map((file) => `'${file}'`);
      const read = files[0]!.endsWith(".csv'") ? 'read_csv' : 'read_parquet';
      return `create view ${name} as select * from ${read}([${files.join(', ')}])`;
    }),
    sql,
  );

describe.runIf(isInstalled('engines'))('DuckDB', () => {
  test.each([undefined, 8])('answers from a folder with %s partitions', async (partitions) => {
    const { answers, expected } = await answer(askFolder(await write(newFolder(), partitions)));
    expect(answers).toEqual(expected);
  });

  test('answers from the files of a bucket', async () => {
    const { env } = await startS3Server();
    const address = 's3://lake/datasets/one';
    await write(address, 3, env);
    const bucket = openBucket(parseS3Address(address), env);
    const folder = tempDir();
    for (const file of await bucket.list()) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), (await bucket.read(file))!);
    }
    const { answers, expected } = await answer(askFolder(folder));
    expect(answers).toEqual(expected);
  });
});

describe.runIf(isInstalled('postgresql'))('PostgreSQL', () => {
  const askSchema =
    ({ ask }: PostgresServer) =>
    (sql: string) =>
      ask(`set search_path = answers; ${sql}`);

  test.each([undefined, 4])('answers from a schema with %s partitions', async (partitions) => {
    const server = await startPostgres();
    await write(`${server.address}?schema=answers`, partitions);
    const { answers, expected } = await answer(askSchema(server));
    expect(answers).toEqual(expected);
  });

  test('answers through a coordinator of partitions on three servers', async () => {
    const coordinator = await startPostgres();
    await write(`${coordinator.address}?schema=answers`, 3);
    coordinator.ask('create extension postgres_fdw');
    for (const i of [0, 1, 2]) {
      const shard = await startPostgres();
      movePartitions(coordinator, shard, i);
      expect(shard.ask(`select count(*) > 10 from answers.tweets_${i}`)).toEqual([['t']]);
    }
    expect(
      coordinator
        .ask('explain select count(*) from answers.tweets')
        .join('\n')
        .match(/Foreign/g),
    ).toHaveLength(3);
    const { answers, expected } = await answer(askSchema(coordinator));
    expect(answers).toEqual(expected);
  });
});

/** Moves the partition `i` of each table from a server to another one, as docs/datasets.md shows. */
function movePartitions(from: PostgresServer, to: PostgresServer, i: number): void {
  from.ask(`select format('alter table %s detach partition %s', inhparent::regclass, inhrelid::regclass)
    from pg_inherits where inhrelid::regclass::text like 'answers.%\\_${i}' \\gexec`);
  to.ask('create schema answers');
  const { stdout } = spawnSync('pg_dump', ['-t', `answers.*_${i}`, from.address], { encoding: 'utf8', maxBuffer: 1e9 });
  to.ask(stdout);
  from.ask(`create server shard${i} foreign data wrapper postgres_fdw
      options (host '127.0.0.1', port '${to.port}', dbname 'postgres');
    create user mapping for current_user server shard${i} options (user 'crawler', password 'secret');
    select format('drop table %1$s_${i}; create foreign table %1$s_${i} partition of %1$s for values with (modulus 3, remainder ${i}) server shard${i}', oid::regclass)
    from pg_class where relkind = 'p' and relnamespace = 'answers'::regnamespace \\gexec`);
}
