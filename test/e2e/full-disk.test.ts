import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { requireSpace } from '#store/sqlite/disk-space.ts';
import { failure, runCli, runSuccessfully } from '../support/cli.ts';
import { fillDisk, mountSmallDisk } from '../support/small-disk.ts';
import { tempFile } from '../support/temp.ts';
import { followedBy, serve, valueOf, withWorld } from './support.ts';

/** Commands that write a new file of a database on a disk with little space. */

const world = withWorld(120, 7);

async function createStore(): Promise<string> {
  const { handle } = followedBy(world, 30);
  const { env } = await serve(world);
  await runSuccessfully(['crawl', 'followers', handle], { env });
  return env.TRAWL_DB;
}

test.each([
  ['rebuild', 50_000],
  ['rebuild --keep-rows', 1_000_000],
])('%s with %i bytes left says how much space it needs, and changes nothing', async (command, left) => {
  const disk = mountSmallDisk();
  // As another user than root.
  if (disk === undefined) return;
  const db = join(disk, 'mine.db');
  copyFileSync(await createStore(), db);
  const count = (): unknown => valueOf(db, 'select count(*) from follows');
  const [users, files] = [count(), readdirSync(disk)];
  const filler = join(disk, 'filler');
  fillDisk(filler, left);
  const result = await runCli([...command.split(' '), '--db', db]);
  expect(result).toEqual(failure(1, 'trawl: not enough space for the new file of the database: '));
  expect(result.stderr).toMatch(
    /: [\d.]+ MB needed, [\d.]+ [kM]B free\n {2}Nothing was changed\. Free space, and try again\.\n$/,
  );
  rmSync(filler);
  expect(readdirSync(disk).filter((name) => !/-(wal|shm)$/.test(name))).toEqual(
    files.filter((name) => !/-(wal|shm)$/.test(name)),
  );
  await runSuccessfully([...command.split(' '), '--db', db]);
  expect(count()).toBe(users);
});

test('a database that cannot be created says that the disk is full', async () => {
  const disk = mountSmallDisk();
  if (disk === undefined) return;
  fillDisk(join(disk, 'filler'), 100_000);
  const { code, stderr } = await runCli(['enqueue', 'profile', 'nasa', '--db', join(disk, 'mine.db')]);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(
      /mine\.db cannot grow: the disk is full\n {2}Nothing was lost\. Free space, and try again\.\n$/,
    ) as string,
  });
  rmSync(join(disk, 'filler'));
  await runSuccessfully(['enqueue', 'profile', 'nasa', '--db', join(disk, 'mine.db')]);
});

test('the space that suffices is not refused', () => {
  const space = (free: number) => () =>
    requireSpace('copy', { path: 'x', needed: 2e6, hint: 'Free space.', readDisk: () => ({ free, total: 1e9 }) });
  expect(space(2e6)).not.toThrow();
  expect(space(2e6 - 1)).toThrow('not enough space for the copy: 2.0 MB needed, 2.0 MB free');
});

test('a backup removes what killed backups of the same name left, with the files of SQLite', async () => {
  const db = tempFile('mine.db');
  await runSuccessfully(['enqueue', 'profile', 'nasa', '--db', db]);
  const file = tempFile('copy.db');
  const folder = join(file, '..');
  const abandoned = ['', '-journal', '-wal', '-shm'].map((ending) => `${file}.4194304.partial${ending}`);
  const others = [`${file}.${process.ppid}.partial-journal`, `${file}.x.partial`, `${file}.4194304.partial-other`];
  for (const path of [...abandoned, ...others]) writeFileSync(path, 'x');
  const before = readdirSync(folder);
  await runSuccessfully(['backup', file, '--db', db]);
  expect(abandoned.filter((path) => existsSync(path))).toEqual([]);
  expect(others.filter((path) => !existsSync(path))).toEqual([]);
  expect(readdirSync(folder).toSorted()).toEqual(
    [...before.filter((name) => !abandoned.includes(join(folder, name))), 'copy.db'].toSorted(),
  );
});
