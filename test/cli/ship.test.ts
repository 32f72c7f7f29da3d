import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

async function createStore(): Promise<{ cwd: string; args: string[] }> {
  const cwd = tempDir();
  await runSuccessfully(['world', 'create', '--users', '20', '--seed', '3', '--db', join(cwd, 'mine.db'), '--quiet']);
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
  expect(await runCli(['ship', ...args])).toMatchObject({ code: 0, stderr: expect.stringContaining('no targets') });
  const added = await runSuccessfully(['ship', 'add', lake, '--ship-backlog', '2GB', ...args]);
  expect(added.stderr).toContain(`facts are recorded for ${lake} from now on`);
  const before = await runJson<Status>(['ship', 'status', '--json', ...args]);
  expect(before.targets).toMatchObject([{ address: lake, shippedEntry: null, maxBacklogBytes: 2e9, stores: [] }]);

  const shipped = await runJson<{ facts: number }>(['ship', 'run', '--once', '--json', '--quiet', ...args]);
  expect(shipped.facts).toBeGreaterThan(20);
  expect(readdirSync(lake)).toEqual(expect.arrayContaining(['_stores', 'tweet_sightings', 'user_sightings']));
  const { targets } = await runJson<Status>(['ship', 'status', '--json', ...args]);
  expect(targets).toMatchObject([{ address: lake, waitingEntries: 0, stores: [{ entry: expect.any(Number) }] }]);
  expect((await runSuccessfully(['ship', 'status', ...args])).stdout).toContain(lake);

  const changed = await runSuccessfully(['ship', 'add', lake, '--ship-backlog', '1GB', ...args]);
  expect(changed.stderr).toContain('was added before; crawls pause when 1.0 GB of facts wait for it');
  await runSuccessfully(['ship', 'remove', lake, ...args]);
  expect(await runJson<Status>(['ship', 'status', '--json', ...args])).toEqual({ targets: [] });
});

test('what cannot be a target is refused with what to do', async () => {
  const { cwd, args } = await createStore();
  expect(await runCli(['ship', 'add', 'ftp://host/lake', ...args])).toMatchObject(
    failure(2, 'there are no targets with ftp://'),
  );
  expect(await runCli(['ship', 'add', join(cwd, 'mine.db', 'lake'), ...args])).toMatchObject(
    failure(2, 'cannot create'),
  );
  expect(await runCli(['ship', 'run', ...args])).toMatchObject(failure(2, 'the database has no target'));
  expect(await runCli(['ship', 'views', cwd])).toMatchObject(failure(2, 'is not a lake'));
  await runSuccessfully(['ship', 'add', join(cwd, 'one'), ...args]);
  expect(await runCli(['ship', 'remove', join(cwd, 'two'), ...args])).toMatchObject(failure(2, 'is not a target'));
  await runSuccessfully(['ship', 'add', join(cwd, 'two'), ...args]);
  expect(await runCli(['ship', 'run', '--once', ...args])).toMatchObject(failure(2, 'several targets'));
  expect(await runCli(['ship', 'add', join(cwd, 'one'), '--ship-backlog', 'much', ...args])).toMatchObject({ code: 2 });
  expect(await runCli(['ship', 'add', join(cwd, 'one'), '--db', join(cwd, 'none.db')])).toMatchObject({ code: 1 });
});
