import { describe, expect, test } from 'vitest';
import { createPseudonyms } from '#files/export/pseudonyms/pseudonyms.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { rowsOf, valueOf, withWorld } from '../../e2e/support.ts';
import { runCli, runProcess, runSuccessfully } from '../../support/cli.ts';
import { startPostgres } from '../../support/postgres.ts';
import { isInstalled } from '../../support/programs.ts';
import { tempFile } from '../../support/temp.ts';
import { createDataset, openDataset, readDataPackage } from './support.ts';

const world = withWorld(60, 5);

/** Texts that end a line, a field or the data of other formats. */
const TEXT = 'a "quoted", line\n\\.\n\\N\tπ 👩‍🚀 \\';

describe.runIf(isInstalled('postgresql'))('a dataset in PostgreSQL', () => {
  test('has the values, types, keys and descriptions of the tables', async () => {
    const { address, ask } = await startPostgres();
    const file = tempFile('world.db');
    world.db.$client.prepare('vacuum into ?').run(file);
    using db = openDatabase(file);
    const id = rowsOf<{ id: string }>(file, 'select rest_id as id from users order by id limit 1')[0]!.id;
    db.$client
      .prepare(
        `update users set description = ?, location = '', url = null, verified = 1, followers_count = 3000000000,
          created_at = 1262304000123 where rest_id = ?`,
      )
      .run(TEXT, id);
    await createDataset(file, { path: `${address}?schema=corrections` });
    expect(
      ask(`set timezone = 'UTC'; select description = $text$${TEXT}$text$, location = '', url is null, verified,
        followers_count + 1, created_at from corrections.users where rest_id = '${id}'`),
    ).toEqual([['t', 't', 't', 't', '3000000001', '2010-01-01 00:00:00.123+00']]);
    for (const table of ['users', 'tweets', 'follows', 'media'])
      expect(ask(`select count(*) from corrections.${table}`)).toEqual([
        [String(valueOf(file, `select count(*) from ${table}`))],
      ]);
    expect(
      ask(`select string_agg(distinct data_type, ', ' order by data_type) from information_schema.columns
        where table_schema = 'corrections'`),
    ).toEqual([['bigint, boolean, double precision, text, timestamp with time zone']]);
    const indexes = ask(`select indexdef from pg_indexes where schemaname = 'corrections'`).flat().join('\n');
    for (const index of [
      'tweets USING btree (rest_id)',
      'tweets USING btree (author_rest_id)',
      'follows USING btree (follower_rest_id, followee_rest_id)',
      'follows USING btree (followee_rest_id)',
      'hashtags USING hash (tag)',
    ])
      expect(indexes).toContain(index);
    const [[comment, column] = []] = ask(`select obj_description('corrections'::regnamespace),
      col_description('corrections.users'::regclass, 1)`);
    expect(JSON.parse(comment!)).toMatchObject({ title: 'A test', trawl: { hidden: { deletedTweets: 0 } } });
    expect(column).toBe("The service's id.");
  });

  test('has the rows of a folder, also of some accounts and with pseudonyms', async () => {
    const { address, ask } = await startPostgres();
    const accountRestIds = rowsOf<{ id: string }>(world.file, 'select rest_id as id from users limit 20').map(
      ({ id }) => id,
    );
    const pseudonyms = createPseudonyms({ key: new Uint8Array(32), keepsText: false });
    for (const [schema, more] of [
      ['chosen', { selection: { accountRestIds } }],
      ['hidden', { pseudonyms, partitions: 3 }],
    ] as const) {
      await createDataset(world.file, { ...more, path: `${address}?schema=${schema}` });
      const folder = await createDataset(world.file, { ...more, format: 'parquet' });
      const askFolder = await openDataset(folder);
      for (const {
        name,
        schema: { fields },
      } of readDataPackage(folder).resources) {
        const columns = fields.filter(({ type }) => type === 'string').map((field) => `"${field.name}"`);
        const sql = (table: string): string => `select ${columns.join(', ')} from ${table}`;
        const inFolder = askFolder(sql(name)).map((row) =>
          row.map((value) => (value as string | null) ?? '∅').join('|'),
        );
        const inDatabase = ask(sql(`${schema}.${name}`)).map((row) => row.join('|'));
        expect([schema, name, ...inDatabase.toSorted()]).toEqual([schema, name, ...inFolder.toSorted()]);
      }
    }
  });

  test('replaces an earlier dataset only with --overwrite, and no other schema', async () => {
    const { address, ask } = await startPostgres();
    const target = `${address}?schema=corrections`;
    const args = ['export', 'dataset', '-o', target, '--db', world.file];
    await runSuccessfully([...args, '--accounts', `id:${valueOf(world.file, 'select rest_id from users limit 1')}`]);
    const count = (): unknown => ask('select count(*) from corrections.users');
    const before = count();
    expect(await runCli(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('has a dataset') as string });
    expect(count()).toEqual(before);
    await runSuccessfully([...args, '--overwrite']);
    expect(count()).toEqual([['60']]);
    ask('create schema mine; create table mine.thesis (id int)');
    for (const more of [[], ['--overwrite']]) {
      const refused = await runCli(['export', 'dataset', '-o', `${address}?schema=mine`, '--db', world.file, ...more]);
      expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('is not a dataset') as string });
    }
    expect(await runCli([...args, '--ids-only'])).toMatchObject({ code: 2 });
    expect(ask("select nspname from pg_namespace where nspname ~ 'corrections|mine' order by 1")).toEqual([
      ['corrections'],
      ['mine'],
    ]);
  });

  test('is not changed by an export that is interrupted, or whose connection is lost', async () => {
    const { address, ask } = await startPostgres();
    const path = `${address}?schema=corrections`;
    await createDataset(world.file, { path });
    const before = ask("select oid from pg_namespace where nspname like 'corrections%'");
    const controller = new AbortController();
    const stops: Readonly<Record<string, () => void>> = {
      'cannot write postgres:': () =>
        void ask("select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'trawl'"),
      interrupted: () => controller.abort(new Error('interrupted')),
    };
    for (const [message, stop] of Object.entries(stops)) {
      const writing = createDataset(world.file, {
        path,
        overwrite: true,
        signal: controller.signal,
        onProgress: ({ table }) => {
          if (table === 'follows') stop();
        },
      });
      await expect(writing).rejects.toThrow(message);
      expect(ask("select oid from pg_namespace where nspname like 'corrections%'")).toEqual(before);
    }
  });

  test('gets the password from the address or the environment, and never shows it', async () => {
    const { address, port, ask } = await startPostgres();
    const write = (target: string, env = {}) =>
      runProcess(['export', 'dataset', '-o', target, '--db', world.file, '--quiet', '--json'], { env });
    const withoutPassword = address.replace(':secret', '');
    const results = [
      await write(`${address}?schema=one`),
      await write(`${withoutPassword}?schema=two`, { PGPASSWORD: 'secret' }),
      await write(`${withoutPassword}?schema=three&password=secret`),
      await write(`${withoutPassword}?schema=four`, { PGPASSWORD: 'wrong-secret' }),
      await write(address.replace(String(port), '1')),
      await write(address.replace('/postgres?', '/missing?').replace(/postgres$/, 'missing')),
      await write('postgres://crawler:secret@[bad/postgres'),
    ];
    expect(results.map(({ code }) => code)).toEqual([0, 0, 0, 1, 1, 1, 2]);
    const comments = ask("select obj_description(oid) from pg_namespace where nspname in ('one', 'two', 'three')");
    expect(comments).toHaveLength(3);
    for (const text of [...results.flatMap(({ stdout, stderr }) => [stdout, stderr]), ...comments.flat()])
      expect(text).not.toContain('secret');
    expect(results.map(({ stderr }) => stderr).join('')).toMatch(
      /cannot write postgres:\/\/127[^]*password authentication failed[^]*connection refused[^]*"missing" does not exist[^]*must be an address/,
    );
  });
});
