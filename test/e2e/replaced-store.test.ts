import { existsSync, readdirSync, readlinkSync, renameSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { openReplacement } from '#store/sqlite/replacement.ts';
import { openStore } from '#store/store.ts';
import { runCli, runSuccessfully, spawnCli, startCli } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { askedTwice, countFollowers, followedBy, rowsOf, serve, valueOf, withWorld } from './support.ts';

/** The file of the store is deleted, moved or replaced while a process works on it. */

const world = withWorld(120, 7);
/** Another store with a crawl of its own. */
async function otherStore(folder: string): Promise<string> {
  const file = join(folder, 'other.db');
  await runSuccessfully(['enqueue', 'profile', 'somebody', '--db', file]);
  return file;
}

const intact = (file: string) => ({
  check: valueOf(file, 'pragma quick_check'),
  crawls: rowsOf(file, 'select kind, target, state from crawls'),
});

/** A service that does something to the store before it answers its n-th request. */
const serviceWith = (n: number, strike: () => void) =>
  serve(world, { pageSize: 3, onAsked: (asked) => void (asked.n === n && strike()) });

test('trawl crawl ends with 1 if its store is moved away; moved back, the store is complete', async () => {
  const { handle, id } = followedBy(world, 30);
  const command = ['crawl', 'followers', handle];
  const folder = tempDir();
  const [db, away] = [join(folder, 'mine.db'), join(folder, 'away.db')];
  const service = await serviceWith(5, () => renameSync(db, away));
  const env = { ...service.env, TRAWL_DB: db };
  await runSuccessfully(['enqueue', 'followers', handle], { env });
  const run = await runCli(command, { env });
  expect(run.code, run.stderr).toBe(1);
  expect(run.stderr).toContain(`${db} was deleted or moved while it was in use`);
  expect(run.stderr).toContain('Move it back');
  expect(run.stderr).not.toMatch(/unfinished and kept|this is a bug/);
  expect(existsSync(db)).toBe(false);

  renameSync(away, db);
  await runSuccessfully(command, { env });
  expect(countFollowers(db, id)).toBe(countFollowers(world.file, id));
  expect(rowsOf(db, 'select state, consecutive_failures from crawls')).toEqual([
    { state: 'complete', consecutive_failures: 0 },
  ]);
  // The page under way and the one before it were sent again, at most.
  expect(askedTwice(service)).toBeLessThanOrEqual(2);
});

test('trawl work ends with 1 if its store is replaced, and does not change the new file', async () => {
  const { handle } = followedBy(world, 30);
  const command = ['work', '--exit-when-idle'];
  const folder = tempDir();
  const db = join(folder, 'mine.db');
  const other = await otherStore(folder);
  const was = intact(other);
  const service = await serviceWith(5, () => renameSync(other, db));
  const env = { ...service.env, TRAWL_DB: db };
  await runSuccessfully(['enqueue', 'followers', handle], { env });
  const run = await runCli(command, { env });
  expect(run.code, run.stderr).toBe(1);
  expect(run.stderr).toContain(`${db} was replaced by another file while it was in use`);
  expect(run.stderr).not.toMatch(/unfinished and kept|this is a bug/);
  // SQLite would read the log of the old file as that of the new one.
  expect(readdirSync(folder).filter((name) => name.startsWith('mine.db-'))).toEqual([
    expect.stringMatching(/^mine\.db-wal\.replaced-\d+-\d+$/),
  ]);
  expect(intact(db)).toEqual(was);
});

test('a worker without work notices that its store was deleted', async () => {
  const db = tempFile('mine.db');
  const service = await serve(world);
  const worker = startCli(['work', '--db', db], { env: service.env });
  await worker.waitForLine(/"msg":"working"/);
  rmSync(db);
  expect(await worker.exited).toBe(1);
  expect(worker.lines.filter((line) => line.includes('was deleted or moved while it was in use'))).toHaveLength(1);
  expect(existsSync(db)).toBe(false);
});

test.each([
  ['store', ''],
  ['record of the quota', '-quota'],
])('a twin whose %s is deleted reports it and exits with 1', async (_, suffix) => {
  const db = tempFile('mine.db');
  openDatabase(db).$client.close();
  const twin = startCli(['twin', 'serve', '--db', db, '--listen', '127.0.0.1:0']);
  await twin.waitForLine(/^serving /);
  rmSync(db + suffix);
  expect(await twin.exited).toBe(1);
  expect(twin.lines).toContain(`trawl: ${db}${suffix} was deleted or moved while it was in use`);
});

test('writes after a replacement are not acknowledged', async () => {
  const folder = tempDir();
  const db = join(folder, 'mine.db');
  await using store = openStore(db);
  await store.write.createRun(1, {});
  renameSync(await otherStore(folder), db);
  await expect(store.write.createRun(2, {})).rejects.toThrow('was replaced by another file');
  expect(store.read.hasPending()).toBe(false);
});

/** Resolves when a process has opened a file. */
async function hasOpened(pid: number, file: string): Promise<void> {
  const folder = `/proc/${pid}/fd`;
  const isOpen = (fd: string): boolean => {
    try {
      return readlinkSync(join(folder, fd)) === file;
    } catch {
      return false;
    }
  };
  while (!readdirSync(folder).some(isOpen)) await pause(5);
}

test.runIf(existsSync('/proc/self/fd'))('a command that waits for a rebuild uses the rebuilt file', async () => {
  const db = tempFile('mine.db');
  openDatabase(db).$client.close();
  using replacement = openReplacement(db);
  const command = spawnCli(['enqueue', 'profile', 'nasa', '--db', db]);
  await hasOpened(command.pid, db);
  replacement.swap();
  expect(await command.exited, command.lines.join('\n')).toBe(0);
  expect(valueOf(db, 'select count(*) from crawls')).toBe(1);
  expect(readdirSync(dirname(db)).filter((name) => name.startsWith(`${basename(db)}.rebuild`))).toEqual([]);
});
