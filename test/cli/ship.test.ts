import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { addShipTarget } from '#store/outbox/ship-targets.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { openStore } from '#store/store.ts';
import { storePages } from '../ship/shipped-store.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

async function createStore(): Promise<{ cwd: string; args: string[] }> {
  const cwd = tempDir();
  await runSuccessfully(['twin world create --users 20 --seed 3 --db', join(cwd, 'mine.db'), '--quiet']);
  return { cwd, args: ['--db', join(cwd, 'mine.db')] };
}

interface Status {
  readonly targets: readonly {
    address: string;
    shippedEntry: number | null;
    waitingBytes: number;
    stores: unknown[];
  }[];
}

test('a target is added, shipped to, shown and removed', async () => {
  const { cwd, args } = await createStore();
  const lake = join(cwd, 'lake');
  expect(await runCli(['lake', ...args])).toMatchObject({ code: 0, stderr: expect.stringContaining('no targets') });
  const added = await runSuccessfully(['lake add', lake, '--ship-backlog', '2GB', ...args]);
  expect(added.stderr).toContain(`facts are recorded for ${lake} from now on`);
  const before = await runJson<Status>(['lake status --json', ...args]);
  expect(before.targets).toMatchObject([{ address: lake, shippedEntry: null, maxBacklogBytes: 2e9, stores: [] }]);

  expect(await runJson(['lake ship --once --json --quiet', ...args])).toMatchObject({ target: lake, entries: 0 });
  expect(readdirSync(lake)).toEqual(expect.arrayContaining(['_stores', 'facts']));
  const { targets } = await runJson<Status>(['lake status --json', ...args]);
  expect(targets).toMatchObject([{ address: lake, waitingEntries: 0, stores: [{ entry: expect.any(Number) }] }]);
  expect((await runSuccessfully(['lake status', ...args])).stdout).toContain(lake);

  const changed = await runSuccessfully(['lake add', lake, '--ship-backlog', '1GB', ...args]);
  expect(changed.stderr).toContain('was added before: facts are recorded for it, and crawls pause when 1.0 GB wait');
  expect(await runCli(['lake add', '', ...args])).toMatchObject(failure(2, 'the target is empty'));
  rmSync(lake, { recursive: true });
  expect((await runSuccessfully(['lake status', ...args])).stderr).toContain(
    `${lake} lacks facts that were shipped there`,
  );
  expect(await runJson(['lake remove --json', lake, ...args])).toEqual({ target: lake });
  expect(await runJson<Status>(['lake status --json', ...args])).toEqual({ targets: [] });
});

test('trawl status shows what waits for each target, and nothing without targets', async () => {
  const { cwd, args } = await createStore();
  const shown = async (): Promise<string[]> =>
    (await runSuccessfully(['status', ...args])).stdout.split('\n').filter((line) => line.startsWith('ship'));
  expect(await shown()).toEqual([]);
  expect(await runJson(['status --json', ...args])).toMatchObject({ ship: [] });
  const [one, other] = [join(cwd, 'one'), join(cwd, 'other')];
  for (const lake of [one, other]) await runSuccessfully(['lake add', lake, ...args]);
  await runSuccessfully(['lake ship', one, '--once', ...args]);
  {
    await using store = openStore(args[1]!);
    await storePages(store, '1', Date.now() - 600_000);
  }
  using db = openDatabase(args[1]!);
  addShipTarget(db, { address: one, maxBacklogBytes: 2000, at: 1 });
  const [behind, due] = await shown();
  // Two crawls, and four pages of which two end them.
  expect(behind).toMatch(
    /^ship {4}to .*one: 8 entries \(\d.* kB of 2\.0 kB\) wait, the first for 10 min(?: \d+ s)?: crawls pause$/,
  );
  expect(due).toMatch(/^ship {4}to .*other: its snapshot has been due for/);
  const { ship } = await runJson<{ ship: { lagSeconds: number }[] }>(['status --json', ...args]);
  expect(ship).toMatchObject([
    { target: one, waitingEntries: 8, maxBacklogBytes: 2000, isSnapshotDue: false },
    { target: other, isSnapshotDue: true },
  ]);
  expect(ship[0]!.lagSeconds).toBeGreaterThanOrEqual(600);
});

test('what cannot be a target is refused with what to do', async () => {
  const { cwd, args } = await createStore();
  expect(await runCli(['lake add ftp://host/lake', ...args])).toMatchObject(
    failure(2, 'there are no targets with ftp://'),
  );
  const postgres = await runCli(['lake add postgres://me:secret@host/facts', ...args]);
  expect(postgres).toMatchObject(failure(2, 'there are no targets with postgres://'));
  expect(postgres.stderr).not.toContain('secret');
  expect(await runCli(['lake add', join(cwd, 'mine.db', 'lake'), ...args])).toMatchObject(failure(2, 'cannot create'));
  expect(await runCli(['lake ship', ...args])).toMatchObject(failure(2, 'the database has no target'));
  await runSuccessfully(['lake add', join(cwd, 'one'), ...args]);
  expect(await runCli(['lake remove', join(cwd, 'two'), ...args])).toMatchObject(failure(2, 'is not a target'));
  await runSuccessfully(['lake add', join(cwd, 'two'), ...args]);
  expect(await runCli(['lake ship --once', ...args])).toMatchObject(failure(2, 'several targets'));
  expect(await runCli(['lake add', join(cwd, 'one'), '--ship-backlog', 'much', ...args])).toMatchObject({ code: 2 });
  writeFileSync(join(cwd, 'note.txt'), 'no database');
  expect(await runCli(['lake add', join(cwd, 'one'), '--db', join(cwd, 'note.txt')])).toMatchObject({ code: 1 });
});
