import { copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { expect, test } from 'vitest';
import { openStore } from '#store/store.ts';
import { spec } from '../../store/support.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { choosePoints, countKills, killTrawl, listOperations } from '../../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../../support/temp.ts';
import { forgetPerson, OWN_TRACES, storePerson } from '../purged-lake.ts';
import { startS3Server } from '../s3/s3-server.ts';
import { createShipped, ship, storePages } from '../shipped-store.ts';
import { readEveryRow, readRows } from '../stored-rows.ts';

const KILLS = countKills(1);
const limit = pLimit(2);

/** The files of a folder, without those of SQLite beside a database. */
const readFiles = (folder: string): string[] => readdirSync(folder).filter((name) => !/-(?:wal|shm)$/.test(name));

/** A store that has shipped a snapshot with rows, pages, an unfinished crawl, and that it has forgotten somebody. */
async function shipStore(address: string, env: Readonly<Record<string, string>>): Promise<string> {
  const path = tempFile('mine.db');
  const shipAll = () => runSuccessfully(['lake', 'ship', '--once', '--quiet', '--db', path], { env });
  {
    await using store = openStore(path);
    await storePages(store, '1', 100);
    await storePages(store, '1', 300);
  }
  await runSuccessfully(['lake', 'add', address, '--db', path], { env });
  await shipAll();
  {
    await using store = openStore(path);
    await storePages(store, '1', 500);
    await store.write.openCrawls([spec({ target: 'id:9' })], 600);
  }
  await storePerson(path, 1000);
  await shipAll();
  await forgetPerson(path, 'redact');
  await shipAll();
  return path;
}

test('a merge into a new file that is killed at any operation leaves all or nothing, and the next one merges all', async () => {
  const address = 's3://lake/of/all';
  const { env } = await startS3Server();
  const lost = await shipStore(address, env);
  const merge = (path: string): string[] => ['lake', 'merge', address, '--db', path, '--quiet'];
  const whole = tempFile('mine.db');
  const operations = await listOperations(merge(whole), env);
  expect(operations.length).toBeGreaterThan(200);
  const expected = readEveryRow(whole);
  const [rows, lostRows] = [readRows(whole), readRows(lost)];
  for (const name of ['users', 'tweets', 'periods', 'tombstones', 'hits', 'requests'])
    expect(rows[name], name).toEqual(lostRows[name]);
  expect(OWN_TRACES.filter((trace) => JSON.stringify(expected).includes(trace))).toEqual([]);

  const kill = async (point: number): Promise<void> => {
    const folder = tempDir();
    const path = join(folder, 'mine.db');
    const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
    await killTrawl(merge(path), point, env);
    const isComplete = existsSync(path);
    expect(isComplete ? readEveryRow(path) : expected, operation).toEqual(expected);
    await runSuccessfully(merge(path), { env });
    expect(readEveryRow(path), operation).toEqual(expected);
    expect(readFiles(folder), operation).toEqual(['mine.db']);
  };
  const points = choosePoints(operations, KILLS, [/^after linkSync/, /^before linkSync/, /^before exec commit/]);
  await Promise.all(points.map((point) => limit(() => kill(point))));
}, 3_600_000);

test('a merge that is killed at any operation is continued by the next one', async () => {
  const lake = tempDir();
  const paths = [tempFile('a.db'), tempFile('b.db')];
  const crawlAndShip = async (at: number): Promise<void> => {
    for (const [i, path] of paths.entries()) {
      {
        await using store = openStore(path);
        await storePages(store, String(i + 1), at + i);
        await store.write.openCrawls([spec({ target: 'id:9' })], at + 50);
      }
      await ship(path);
    }
  };
  for (const path of paths) await createShipped(path, lake);
  await crawlAndShip(1000);
  const first = tempFile('all.db');
  const merge = (path: string): string[] => ['lake', 'merge', lake, '--db', path, '--quiet'];
  await runSuccessfully(merge(first));
  await crawlAndShip(2000);
  const whole = join(tempDir(), 'all.db');
  copyFileSync(first, whole);
  const operations = await listOperations(merge(whole));
  const expected = readEveryRow(whole);
  const anew = tempFile('all.db');
  await runSuccessfully(merge(anew));
  expect(readRows(anew)).toEqual(readRows(whole));

  const kill = async (point: number): Promise<void> => {
    const folder = tempDir();
    const path = join(folder, 'all.db');
    copyFileSync(first, path);
    await killTrawl(merge(path), point);
    const operation = `after a kill at operation ${point}: ${operations[point - 1]}`;
    await runSuccessfully(merge(path));
    expect(readEveryRow(path), operation).toEqual(expected);
    expect(readFiles(folder), operation).toEqual(['all.db']);
  };
  const points = choosePoints(operations, KILLS + 1, [/^after exec commit/, /^before exec commit/]);
  await Promise.all(points.map((point) => limit(() => kill(point))));
}, 3_600_000);
