import { copyFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLakeContent } from '#lake/files/lake-content.ts';
import { openLake } from '#lake/files/open-lake.ts';
import { openStore } from '#store/store.ts';
import { failure, runCli, runSuccessfully, startCli } from '../support/cli.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { startS3Server } from './s3/s3-server.ts';
import { storePages } from './shipped-store.ts';
import { readRows } from './stored-rows.ts';
import { TARGETS } from './targets.ts';

async function addPages(path: string, at: number): Promise<void> {
  await using store = openStore(path);
  await storePages(store, '1', at);
}

/** A database of its own with what a backup has: WAL files of another one are not beside it. */
function putBack(backup: string): string {
  const path = tempFile('mine.db');
  copyFileSync(backup, path);
  return path;
}

const isRefused = (address: string) => failure(1, `${address} has entries of the store`);

test.each(TARGETS)(
  'a database that was restored from a backup does not ship over what was shipped since to %s',
  async (target, start) => {
    const { address, env } = await start();
    const lake = await openLake(address, env);
    const path = tempFile('mine.db');
    const run = (...args: string[]) => runCli([...args, '--quiet'], { env });
    const ship = async (db: string): Promise<void> =>
      void (await runSuccessfully(['lake', 'ship', '--once', '--quiet', '--db', db], { env }));
    const countFacts = async (): Promise<number> => {
      const content = await readLakeContent(lake);
      let count = 0;
      for (const part of await content.listParts())
        for await (const { facts } of part.read()) count += Object.values(facts).flat().length;
      return count;
    };

    await addPages(path, 100);
    await runSuccessfully(['lake', 'add', address, '--db', path], { env });
    const beforeSnapshot = tempFile('backup.db');
    await runSuccessfully(['backup', beforeSnapshot, '--db', path]);
    await ship(path);
    await addPages(path, 300);
    const waiting = tempFile('backup.db');
    await runSuccessfully(['backup', waiting, '--db', path]);
    await ship(path);
    const shipped = tempFile('backup.db');
    await runSuccessfully(['backup', shipped, '--db', path]);

    // Nothing was shipped since this backup: it goes on.
    const goesOn = putBack(shipped);
    await addPages(goesOn, 500);
    await ship(goesOn);
    const [record] = await lake.readStores();
    const facts = await countFacts();

    // Whatever each history has after its backup: fewer entries than the target, as many, or more. A digest tells, in any target.
    const counts = target === 'a folder' ? [0, 1, 2, 3] : [1];
    for (const backup of [path, waiting, shipped])
      for (const lists of counts) {
        const other = putBack(backup);
        for (let i = 0; i < lists; i += 1) await addPages(other, 700 + 100 * i);
        expect(await run('lake', 'ship', '--once', '--db', other)).toEqual(isRefused(address));
      }
    expect(await countFacts()).toBe(facts);
    expect(await lake.readStores()).toEqual([record]);
    await addPages(goesOn, 900);
    await ship(goesOn);

    // It begins again with a snapshot, as the message says; so does one that had none yet.
    for (const backup of [shipped, beforeSnapshot]) {
      const other = putBack(backup);
      await addPages(other, 1000);
      if (backup === shipped) {
        await runSuccessfully(['lake', 'remove', address, '--db', other], { env });
        await runSuccessfully(['lake', 'add', address, '--db', other], { env });
      }
      await ship(other);
      const merged = tempFile('merged.db');
      await runSuccessfully(['lake', 'merge', address, '--db', merged, '--quiet'], { env });
      expect(readRows(merged, ['changed_at'])).toEqual(readRows(other, ['changed_at']));
      expect(await run('lake', 'ship', '--once', '--db', goesOn)).toEqual(isRefused(address));
    }
  },
);

test.each([
  ['a folder', async () => ({ address: tempDir(), env: {}, isLocked: true })],
  ['object storage', async () => ({ address: 's3://lake/of/all', env: (await startS3Server()).env, isLocked: false })],
] as const)('of two copies of a database that ship to %s at once, one is refused', async (_, start) => {
  const { address, env, isLocked } = await start();
  const ship = (db: string) => runCli(['lake', 'ship', '--once', '--quiet', '--db', db], { env });
  const path = tempFile('mine.db');
  await addPages(path, 100);
  await runSuccessfully(['lake', 'add', address, '--db', path], { env });
  expect(await ship(path)).toMatchObject({ code: 0 });
  const copy = putBack(path);
  await addPages(path, 300);
  await addPages(copy, 500);
  const running = startCli(['lake', 'ship', '--db', path], { env });
  await running.waitForLine(/shipping to/);
  // A process of this machine has the lock of a folder, and writes; in object storage, the first one to seal its facts wins.
  const hasOpened = (): boolean =>
    readdirSync(join(address, '_partial'), { recursive: true }).some((name) => String(name).includes('/'));
  await expect.poll(() => !isLocked || hasOpened()).toBe(true);
  expect(await ship(copy)).toMatchObject(isLocked ? failure(1, 'another process ships') : { code: 0 });
  running.kill('SIGTERM');
  await running.exited;
  expect(await ship(isLocked ? copy : path)).toEqual(isRefused(address));
  const merged = tempFile('merged.db');
  await runSuccessfully(['lake', 'merge', address, '--db', merged, '--quiet'], { env });
  expect(readRows(merged, ['changed_at'])).toEqual(readRows(isLocked ? path : copy, ['changed_at']));
});
