import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/store/sqlite/database.ts';
import { runProcess, spawnCli } from '../support/cli.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempDir, tempFile } from '../support/temp.ts';

const EDGES = 300_000;

function createLargeStore(): string {
  const path = createStoreFile(tempFile('large.db'));
  using db = openDatabase(path);
  const numbers = (count: number): string =>
    `(with recursive n(value) as (select 0 union all select value + 1 from n where value < ${count - 1}) select value from n)`;
  db.$client.exec(`
    insert into users (id, rest_id, screen_name, first_seen_at)
      select value + 1, 1000 + value, 'user' || value, 1 from ${numbers(1000)};
    insert into follows (follower_id, followee_id, first_seen_at, last_seen_at)
      select value % 1000 + 1, value / 1000 + 1, 1, 2 from ${numbers(EDGES)};`);
  return path;
}

/** Starts an export, and resolves when its unfinished file is in the folder. */
async function startExport(db: string, folder: string) {
  using watcher = disposable(watch(folder));
  const run = spawnCli(['export', 'follows', '-o', join(folder, 'follows.csv'), '--db', db]);
  while (!readdirSync(folder).some((name) => name.endsWith('.partial'))) await once(watcher.watcher, 'change');
  return run;
}

const disposable = (watcher: ReturnType<typeof watch>) => ({ watcher, [Symbol.dispose]: () => watcher.close() });

test('a killed export leaves nothing under its name, and the next one removes what it left', async () => {
  const db = createLargeStore();
  const folder = tempDir();
  const file = join(folder, 'follows.csv');
  const killed = await startExport(db, folder);
  killed.kill('SIGKILL');
  expect(await killed.exited).toBeNull();
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(folder)).toEqual([`follows.csv.${killed.pid}.partial`]);

  const again = await runProcess(['export', 'follows', '-o', file, '--db', db]);
  expect(again, again.stderr).toMatchObject({ code: 0 });
  expect(readdirSync(folder).toSorted()).toEqual(['follows.csv', 'follows.csv.meta.json']);
  expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(EDGES + 1);
});

test('Ctrl-C removes the unfinished file, with exit code 130', async () => {
  const db = createLargeStore();
  const folder = tempDir();
  const run = await startExport(db, folder);
  run.kill('SIGINT');
  expect(await run.exited).toBe(130);
  expect(readdirSync(folder)).toEqual([]);
  expect(run.lines).toContain('stopping: no file is written');
});
