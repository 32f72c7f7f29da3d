import { createHash } from 'node:crypto';
import { copyFileSync, cpSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { DAY } from '#base/clock.ts';
import { openBucket } from '#files/s3/bucket.ts';
import { parseS3Address } from '#files/s3/s3-settings.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { createWorld } from '#twin/world/create-world.ts';
import { integrityOf } from '../e2e/support.ts';
import { contentsOf } from '../rebuild/digest.ts';
import { someWeeks } from '../rebuild/some-weeks.ts';
import { countFacts } from '../ship/count-facts.ts';
import { startS3Server } from '../ship/s3/s3-server.ts';
import { createShipped, ship, storePages } from '../ship/shipped-store.ts';
import { runProcess, runSuccessfully } from '../support/cli.ts';
import { choosePoints, countKills, killTrawl, listOperations } from '../support/kills/killed-trawl.ts';
import { makeOnce } from '../support/make-once.ts';
import { startPostgres } from '../support/postgres.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';

/**
 * Commands that are killed at any operation and run again: then everything is as after one run that nothing disturbed, and
 * nothing else is left. Crawls, erasures, shipping, merges and purges have tests of their own, with what holds in between.
 */

const KILLS = countKills(1);
const limit = pLimit(2);

/** A command in a folder of its own. */
interface Scene {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** What it creates or changes, without what differs between two runs. */
  readonly read: () => unknown;
  /** Checks what readers see after a kill. */
  readonly check?: () => void | Promise<void>;
  /** The last operation of such a name is one that it is killed at. */
  readonly chosen?: readonly RegExp[];
  /** A finished file is not replaced: a run after a kill that came too late has this exit code. */
  readonly codeOfFinished?: number;
}

const tomorrow = (): string => new Date(Date.now() + DAY).toISOString().slice(0, 10);
const copyOf = (path: string, folder: string): string => {
  const copy = join(folder, 'mine.db');
  copyFileSync(path, copy);
  return copy;
};

/** The rows of a store. @param omitted columns that are the time of a run, and tables of runs */
function rowsOf(path: string, ...omitted: readonly string[]): unknown {
  expect(integrityOf(path)).toBe('ok');
  const text = JSON.stringify(contentsOf(path), (name, value: unknown) => (omitted.includes(name) ? null : value));
  return JSON.parse(text);
}

/** The text of a file without times and the names of folders. */
const textOf = (path: string): string =>
  readFileSync(path, 'utf8')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+Z?/g, 'then')
    .replaceAll(/trawl-test-\w+/g, 'folder');

/** A store after some weeks of crawls. */
const storeOfWeeks = async (): Promise<string> =>
  join(
    await makeOnce('weeks', async (folder) => {
      copyFileSync((await someWeeks()).path, join(folder, 'store.db'));
    }),
    'store.db',
  );

/** A lake with the files of several runs. */
const lake = (): Promise<string> =>
  makeOnce('lake', async (folder) => {
    const path = tempFile('mine.db');
    await createShipped(path, folder);
    for (const at of [100, 300, 500]) {
      {
        await using store = openStore(path);
        await storePages(store, '1', at);
      }
      await ship(path);
    }
  });

const world = async (): Promise<string> =>
  join(
    await makeOnce('small-world', async (folder) => {
      using db = openDatabase(createStoreFile(join(folder, 'world.db')));
      await createWorld({ db, users: 60, seed: 3 });
    }),
    'world.db',
  );

const exportTo = async (what: string, name: string, folder: string): Promise<Scene> => ({
  args: ['export', what, '-o', join(folder, name), '--db', await storeOfWeeks()],
  read: () => textOf(join(folder, name)),
});

const exportDataset = (output: string, db: string): string[] => [
  'export',
  'dataset',
  '-o',
  output,
  '--overwrite',
  '--db',
  db,
];

/** The server of the tests, and the number of schemas that they have used. */
let postgres: ReturnType<typeof startPostgres> | undefined;
let schemas = 0;

const SCENES: Readonly<Record<string, (folder: string) => Promise<Scene>>> = {
  async rebuild(folder) {
    const db = copyOf(await storeOfWeeks(), folder);
    return { args: ['rebuild', '--db', db], read: () => rowsOf(db) };
  },
  async 'prune tweets'(folder) {
    const db = copyOf(await storeOfWeeks(), folder);
    return {
      args: ['prune', 'tweets', '--older-than', '2025-01-13', '--yes', '--db', db],
      read: () => rowsOf(db, 'pruned_at', 'prune_id', '_prunes'),
    };
  },
  async 'prune bodies'(folder) {
    const db = copyOf(await storeOfWeeks(), folder);
    return {
      args: ['prune', 'bodies', '--older-than', tomorrow(), '--vacuum', '--yes', '--db', db],
      read: () => rowsOf(db, 'pruned_at', 'prune_id', '_prunes'),
    };
  },
  async backup(folder) {
    const file = join(folder, 'copy.db');
    return {
      args: ['backup', file, '--db', await storeOfWeeks()],
      read: () => rowsOf(file),
      codeOfFinished: 2,
    };
  },
  'export csv': (folder) => exportTo('users', 'users.csv', folder),
  'export jsonl': (folder) => exportTo('tweets', 'tweets.jsonl', folder),
  async 'export dataset'(folder) {
    const output = join(folder, 'dataset');
    return {
      args: ['export', 'dataset', '-o', output, '--overwrite', '--format', 'csv', '--db', await storeOfWeeks()],
      read: () => [
        readdirSync(output, { recursive: true }).map(String).toSorted(),
        textOf(join(output, 'data/tweets.csv')),
      ],
    };
  },
  async 'export dataset to S3'(folder) {
    // Files are written to TMPDIR before they are uploaded.
    const env = { ...(await startS3Server()).env, TMPDIR: folder };
    const address = 's3://lake/dataset';
    const { list, read } = openBucket(parseS3Address(address), env);
    const replace = (db: string): string[] => exportDataset(address, db);
    const textAt = async (file: string): Promise<string> => Buffer.from((await read(file))!).toString();
    expect(await runProcess(replace(await world()), { env })).toMatchObject({ code: 0 });
    return {
      args: [...replace(await storeOfWeeks()), '--format', 'csv'],
      env,
      read: async () => [
        (await list()).toSorted(),
        (await textAt('data/tweets.csv')).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'then'),
      ],
      async check() {
        const files = await list();
        if (!files.includes('datapackage.json')) return;
        for (const line of (await textAt('SHA256SUMS')).trim().split('\n')) {
          const [digest, file] = line.split('  ');
          expect([
            file,
            createHash('sha256')
              .update((await read(file!))!)
              .digest('hex'),
          ]).toEqual([file, digest]);
        }
      },
      chosen: [/PUT .*datapackage.json HTTP/, /DELETE .*datapackage.json HTTP/],
    };
  },
  async 'export dataset to PostgreSQL'() {
    const { address, ask } = await (postgres ??= startPostgres());
    const schema = `dataset_${(schemas += 1)}`;
    const replace = (db: string): string[] => exportDataset(`${address}?schema=${schema}`, db);
    const count = (): unknown =>
      ask(`select (select count(*) from ${schema}.users), (select count(*) from ${schema}.tweets), count(*)
        from pg_tables where schemaname = '${schema}'`);
    const counts: unknown[] = [];
    for (const store of [await storeOfWeeks(), await world()]) {
      await runSuccessfully(replace(store));
      counts.push(count());
    }
    return {
      args: replace(await storeOfWeeks()),
      read: () => [
        count(),
        ask(`select rest_id, text from ${schema}.tweets order by rest_id`),
        ask(`select nspname from pg_namespace where nspname like '${schema}\\_%'`),
      ],
      check: () => expect(counts).toContainEqual(count()),
      chosen: [/before write .*alter schema/, /after write .*alter schema/, /before write .*drop schema/],
    };
  },
  async report(folder) {
    const file = join(folder, 'nasa.html');
    return {
      args: ['report', 'account', 'nasa', '-o', file, '--db', await storeOfWeeks()],
      read: () => textOf(file),
    };
  },
  async 'schedule sync'(folder) {
    const db = join(folder, 'mine.db');
    return {
      args: ['schedule', 'sync', join(import.meta.dirname, '../../jobs'), '--db', db],
      read: () => rowsOf(db, 'scheduled_at', 'next_at', 'created_at', 'value', 'updated_at'),
    };
  },
  async 'lake compact'(folder) {
    const target = join(folder, 'lake');
    cpSync(await lake(), target, { recursive: true });
    return {
      args: ['lake', 'compact', target],
      read: () => countFacts(target).map(([table, , distinct]) => [table, distinct]),
    };
  },
  async 'twin world step'(folder) {
    const db = copyOf(await world(), folder);
    return { args: ['twin', 'world', 'step', '--days', '2', '--db', db], read: () => rowsOf(db) };
  },
};

const listFiles = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => !/-(?:wal|shm)$/.test(name))
    .toSorted();

test.each(Object.keys(SCENES))(
  'trawl %s that is killed at any operation and run again leaves what one run leaves',
  async (name) => {
    const open = SCENES[name]!;
    const wholeFolder = tempDir();
    const whole = await open(wholeFolder);
    const operations = await listOperations(whole.args, whole.env);
    const expected = await whole.read();
    const files = listFiles(wholeFolder);
    const kill = async (point: number): Promise<void> => {
      const folder = tempDir();
      const { args, env, read, check, codeOfFinished = 0 } = await open(folder);
      await killTrawl(args, point, env);
      await check?.();
      const operation = `after a kill at operation ${point} of ${operations.length}: ${operations[point - 1]}`;
      const { code, stderr } = await runProcess(args, { env });
      expect([0, codeOfFinished], `${operation}: ${stderr}`).toContain(code);
      expect(await read(), operation).toEqual(expected);
      expect(listFiles(folder), operation).toEqual(files);
    };
    await Promise.all(choosePoints(operations, KILLS, whole.chosen).map((point) => limit(() => kill(point))));
  },
  3_600_000,
);
