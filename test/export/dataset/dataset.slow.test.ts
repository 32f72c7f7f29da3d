import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { stepWorld } from '#twin/world/step/step-world.ts';
import { peopleOf, rowsOf, serve, type Service, valueOf, withWorld } from '../../e2e/support.ts';
import { runCli, runJson, runSuccessfully, startCli } from '../../support/cli.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { createDataset, findBrokenKeys, newFolder, openDataset, readDataPackage } from './support.ts';

const world = withWorld(40, 11);

const readText = (folder: string, name: string): string => readFileSync(join(folder, name), 'utf8');

test('a killed export leaves nothing under its name, and the next one deletes what it has left', async () => {
  const path = newFolder();
  const program = resolve(import.meta.dirname, 'stalling-dataset.ts');
  const child = spawn(process.execPath, ['--import', 'tsx', program, world.file, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  child.kill('SIGKILL');
  await once(child, 'close');
  expect(readdirSync(dirname(path))).toEqual([`${basename(path)}.${child.pid}.partial`]);
  await createDataset(world.file, { path });
  expect(readdirSync(dirname(path))).toEqual([basename(path)]);
});

test('the command writes a dataset whose checksums sha256sum accepts, and refuses to overwrite it', async () => {
  const path = newFolder();
  const args = ['export', 'dataset', '-o', `${path}/`, '--format', 'csv', '--db', world.file];
  const { stdout, stderr } = await runSuccessfully(args);
  expect(stdout).toMatch(/rows in 20 files, .*B, in /);
  expect(stderr).toContain('left out: 0 deleted tweets and 0 accounts that the service no longer shows');
  expect(stderr).toContain('CITATION.cff has no author and no publisher yet');
  expect(
    spawnSync('sha256sum', ['--check', '--strict', '--quiet', 'SHA256SUMS'], { cwd: path, encoding: 'utf8' }),
  ).toMatchObject({
    status: 0,
    stdout: '',
    stderr: '',
  });
  expect(await runCli(args)).toMatchObject({ code: 2, stderr: expect.stringContaining('has a dataset') as string });
  const authors = ['--author', 'Doe, Jane', '--author', 'Roe, Ray', '--publisher', 'Example University'];
  const again = await runJson<{ rows: number; files: { file: string; rows: number }[] }>([
    ...args,
    '--overwrite',
    ...authors,
  ]);
  expect(again.files.find(({ file }) => file === 'data/users.csv')).toMatchObject({ rows: 40 });
  expect(readText(path, 'CITATION.cff')).toContain('"Roe"');
});

test('an interrupted command writes nothing', async () => {
  const path = newFolder();
  const run = startCli(['export', 'dataset', '-o', path, '--db', world.file]);
  run.kill('SIGINT');
  expect(await run.exited).toBe(130);
  expect(readdirSync(dirname(path))).toEqual([]);
});

/** Crawls in the test process. */
async function crawl({ env }: Service, ...args: string[]): Promise<void> {
  const { code, stderr } = await runCli(['crawl', ...args, '--quiet', '--yes'], { env });
  // Suspended accounts are not found.
  expect([0, 1, 3], stderr).toContain(code);
}

test('the ids of a dataset fetch the same tweets and profiles again', async () => {
  const folder = await createDataset(world.file, { format: 'ids' });
  expect(readdirSync(folder).toSorted()).toEqual([
    'CITATION.cff',
    'README.md',
    'SHA256SUMS',
    'datapackage.json',
    'tweet_ids.txt',
    'user_ids.txt',
  ]);
  // Nothing but the ids is about anybody.
  const handles = peopleOf(world, 40).map(({ handle }) => handle);
  const documents = ['README.md', 'datapackage.json', 'CITATION.cff'].map((name) => readText(folder, name)).join('\n');
  expect(handles.filter((handle) => new RegExp(`\\b${handle}\\b`).test(documents))).toEqual([]);

  const service = await serve(world);
  await crawl(service, 'tweet', '--from-file', join(folder, 'tweet_ids.txt'));
  await crawl(service, 'profile', '--from-file', join(folder, 'user_ids.txt'));
  const tweets = `select t.rest_id, u.rest_id as author, text, t.created_at, favorite_count, retweet_count, reply_count, quote_count
    from tweets t join users u on u.id = t.author_id order by t.rest_id`;
  expect(rowsOf(service.db, tweets)).toEqual(rowsOf(world.file, tweets));
  const users = `select rest_id, screen_name, name, description, location, url, followers_count, following_count, statuses_count,
    favourites_count, media_count, created_at from users order by rest_id`;
  expect(rowsOf(service.db, users)).toEqual(rowsOf(world.file, users));
});

/** The columns with ids of the accounts that rows belong to. */
const ACCOUNT_COLUMNS = [
  ['data/users', 'rest_id'],
  ['data/user_history', 'rest_id'],
  ['data/tweets', 'author_rest_id'],
  ['data/follows', 'follower_rest_id'],
  ['data/follows', 'followee_rest_id'],
  ['data/replies', 'author_rest_id'],
  ['coverage', 'target'],
  ['completeness', 'target_rest_id'],
  ['crawls', 'target_rest_id'],
  ['crawls', 'target'],
  ['completeness', 'target'],
] as const;

const changing = withWorld(60, 12);

test('a dataset says how its data was collected, leaves out what was deleted, and says how much that is', async () => {
  const service = await serve(changing);
  const jobs = tempDir();
  writeFileSync(
    join(jobs, 'star.yaml'),
    `every: 1d
kind: followers
targets: [HarbourNews]
purpose: How a news account gains followers
ethicsRef: Example board, 2026-17
retention: until 2031-12-31`,
  );
  await runSuccessfully(['work', '--jobs', jobs, '--exit-when-idle', '--quiet'], { env: service.env });
  const people = peopleOf(changing, 60).map(({ id }) => `id:${id}`);
  await crawl(service, 'timeline', ...people);
  await crawl(service, 'followers', 'HarbourNews');
  stepWorld({ db: changing.db, days: 120, seed: 4 });
  await crawl(service, 'timeline', ...people, '--full-refresh');
  await crawl(service, 'profile', ...people);
  const deleted = valueOf(service.db, "select count(*) from v_deleted_tweets where state = 'deleted'");
  const unavailable = rowsOf<{ id: string }>(service.db, 'select rest_id as id from v_unavailable_accounts').map(
    ({ id }) => id,
  );
  expect(deleted).toBeGreaterThan(0);
  expect(unavailable.length).toBeGreaterThan(0);

  const folder = newFolder();
  const dataset = await runJson<{ hidden: object }>(['export', 'dataset', '-o', folder, '--format', 'csv'], {
    env: service.env,
  });
  expect(dataset.hidden).toEqual({ deletedTweets: deleted, unavailableAccounts: unavailable.length });
  const ask = await openDataset(folder);
  expect(ask('select rest_id from tweets')).toHaveLength(
    valueOf(
      service.db,
      `select count(*) from v_tweets where deletion_state is not 'deleted'
         and (author_rest_id in (select rest_id from v_unavailable_accounts)) is not true`,
    ),
  );
  for (const [table, column] of ACCOUNT_COLUMNS) {
    const found = ask(`select distinct ${column} from ${basename(table)}`);
    expect([
      table,
      column,
      ...found.flat().filter((id) => unavailable.includes(String(id).replace('id:', ''))),
    ]).toEqual([table, column]);
  }
  expect(await findBrokenKeys(folder)).toEqual([]);

  const readme = readText(folder, 'README.md');
  expect(readme).toContain(`- tweets that the service reports as deleted: ${deleted};`);
  expect(readme).toContain(
    '- Purpose: How a news account gains followers\n- Ethics: Example board, 2026-17\n- Retention: until 2031-12-31\n',
  );
  expect(readme).toContain(new URL(service.url).host);
  expect(readme).toMatch(/^\| followers \| 2 \| 2 \| 0 \|/m);

  // Neither the key nor the secrets of the store.
  const all = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => readText(parentPath, name))
    .join('\n');
  const secrets = rowsOf<{ key: string; value: string }>(service.db, 'select key, value from _settings').filter(
    ({ key }) => key !== 'store_id',
  );
  expect([service.key, ...secrets.map(({ value }) => value)].filter((secret) => all.includes(secret))).toEqual([]);
  expect(
    readDataPackage(folder)
      .resources.map(({ name }) => name)
      .filter((name) => /^raw|settings|^_/.test(name)),
  ).toEqual([]);

  const whole = newFolder();
  await runSuccessfully(
    ['export', 'dataset', '-o', whole, '--format', 'csv', '--include-deleted', '--purpose', 'Another'],
    { env: service.env },
  );
  expect((await openDataset(whole))('select rest_id from tweets')).toHaveLength(
    valueOf(service.db, 'select count(*) from tweets'),
  );
  expect(readText(whole, 'README.md')).toContain('- Purpose: Another\n');
  expect(await findBrokenKeys(whole)).toEqual([]);
});

/** Advances the world in a file by a month, with a connection of its own. */
function stepFile(file: string): void {
  using db = openDatabase(file);
  stepWorld({ db, days: 30, seed: 1 });
}

test('the files of an export are those of one moment, whatever is committed meanwhile', async () => {
  const file = tempFile('world.db');
  await runSuccessfully(['twin', 'world', 'create', '--users', '20', '--db', file, '--quiet']);
  const before = valueOf(file, 'select count(*) from tweets');
  const folder = await createDataset(file, {
    onProgress: ({ table, rows }) => {
      if (table === 'users' && rows === 0) stepFile(file);
    },
  });
  expect(valueOf(file, 'select count(*) from tweets')).toBeGreaterThan(before);
  expect((await openDataset(folder))('select rest_id from tweets')).toHaveLength(before);
  expect(await findBrokenKeys(folder)).toEqual([]);
});
