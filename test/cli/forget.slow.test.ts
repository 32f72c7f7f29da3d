import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { peopleOf, serve, withWorld } from '../e2e/support.ts';
import { failure, runCli, runDoctorCheck, runJson, runSuccessfully } from '../support/cli.ts';
import { createTempDir } from '../support/temp.ts';

const world = withWorld(60, 7);
const directory = createTempDir();
afterAll(() => directory[Symbol.dispose]());

interface Erased {
  readonly dryRun: boolean;
  readonly accounts: readonly { readonly restId: string | null; readonly isStored: boolean }[];
  readonly tables: readonly { readonly table: string; readonly removed: number; readonly changed: number }[];
  readonly notErased: { readonly files: readonly string[]; readonly ownTables: readonly string[] };
}

const removedFrom = ({ tables }: Erased, name: string): number | undefined =>
  tables.find(({ table }) => table === name)?.removed;

test('`trawl forget` shows what it will erase, asks, erases, and says what it cannot erase; other commands go on', async () => {
  const { env } = await serve(world, { pageSize: 20 });
  const db = join(directory.path, 'mine.db');
  const on = ['--db', db];
  const names = peopleOf(world, 3).map(({ id }) => `id:${id}`);
  await runCli(['crawl replies HarbourNews', ...names, ...on, '--quiet'], { env });
  await runSuccessfully(['crawl followers HarbourNews nightsky_now', ...on, '--quiet'], { env });
  await runSuccessfully(['crawl profile HarbourNews nightsky_now', ...on, '--quiet'], { env });

  expect(await runCli(['forget', ...on])).toEqual(failure(2, 'no accounts'));
  expect(await runCli(['forget HarbourNews', ...on])).toEqual(failure(2, '--yes erases the accounts'));
  const preview = await runJson<Erased>(['forget HarbourNews --dry-run', ...on]);
  expect(preview).toMatchObject({ dryRun: true, accounts: [{ isStored: true }] });
  expect(removedFrom(preview, 'users')).toBe(1);

  writeFileSync(join(directory.path, 'mine.db.old'), '');
  await runSuccessfully(['sql', 'select 1', ...on]);
  const list = join(directory.path, 'people.txt');
  writeFileSync(list, '# asked on Monday\nHarbourNews\nnot_here\n');
  const erased = await runJson<Erased>(['forget --from-file', list, '--yes', ...on]);
  expect(erased).toMatchObject({
    dryRun: false,
    accounts: [
      { isStored: true },
      {
        restId: null,
        isStored: false,
      },
    ],
    notErased: {
      files: [`${db}.old`],
      ownTables: [],
    },
  });
  expect(removedFrom(erased, 'users')).toBe(1);
  expect(existsSync(`${db}-wal`)).toBe(false);

  expect(await runCli(['coverage HarbourNews', ...on])).toEqual(failure(1, 'HarbourNews was erased'));
  const query = ['query run mutual-follows --account HarbourNews', ...on];
  expect(await runCli(query)).toEqual(failure(1, 'HarbourNews was erased'));
  expect((await runCli(['coverage nightsky_now', ...on])).stdout).toContain('followers');
  expect(await runDoctorCheck(db, 'keys', {}, '--deep')).toMatchObject({ finding: { status: 'ok' } });
  expect((await runSuccessfully(['crawls list', ...on])).stdout).toContain('(forgotten)');
  expect(await runCli(['crawls resume 1', ...on], { env })).toMatchObject({
    stderr: expect.stringContaining('its account is forgotten') as string,
  });
  for (const command of [
    ['status'],
    ['query', 'run', 'completeness-and-cost'],
    ['report', 'account', 'nightsky_now', '-o', join(directory.path, 'report.html')],
    ['export', 'users', '-o', join(directory.path, 'users.csv')],
    ['find', '--users', 'HarbourNews'],
  ]) {
    const { code, stdout, stderr } = await runCli([...command, ...on]);
    expect([command[0], code === 0 || code === 3, stderr]).toEqual([
      command[0],
      true,
      expect.not.stringContaining('bug'),
    ]);
    expect(stdout).not.toContain('HarbourNews');
  }
});
