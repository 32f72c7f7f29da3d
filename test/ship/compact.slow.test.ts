import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '#store/store.ts';
import { failure, runCli, runJson, runSuccessfully } from '../support/cli.ts';
import { killTrawl, listOperations } from '../support/kills/killed-trawl.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { countFacts } from './count-facts.ts';
import { listFactFiles } from './lake.ts';
import { forgetPerson, OWN_TRACES, storePerson } from './purged-lake.ts';
import { createShipped, ship, storePages } from './shipped-store.ts';
import { readRows } from './stored-rows.ts';

const compact = (lake: string) => runJson(['lake', 'compact', lake, '--json', '--quiet']);

async function merge(lake: string): Promise<unknown> {
  const path = tempFile('all.db');
  await runSuccessfully(['lake', 'merge', lake, '--db', path, '--quiet']);
  return readRows(path);
}

/** Two stores, each with so many files in a lake. */
async function shipFiles(files: number): Promise<{ lake: string; paths: string[] }> {
  const lake = tempDir();
  const paths = [tempFile('a.db'), tempFile('b.db')];
  for (const [i, path] of paths.entries()) {
    await createShipped(path, lake);
    for (let file = 1; file < files; file += 1) await crawlMore(path, 1000 * file + i);
  }
  return { lake, paths };
}

async function crawlMore(path: string, at: number): Promise<void> {
  {
    await using store = openStore(path);
    await storePages(store, String(at % 10), at);
  }
  await ship(path);
}

test('combined files have the facts of those that they replace, which the next run deletes', async () => {
  const { lake, paths } = await shipFiles(4);
  const [facts, rows] = [countFacts(lake), await merge(lake)];
  expect(listFactFiles(lake)).toHaveLength(8);
  expect(await compact(lake)).toMatchObject({ replaced: 8, made: 2 });
  // Readers that have listed the files may go on.
  expect(listFactFiles(lake)).toHaveLength(10);
  expect(await merge(lake)).toEqual(rows);
  expect(await compact(lake)).toMatchObject({ replaced: 0, made: 0 });
  expect(listFactFiles(lake)).toHaveLength(2);
  expect(countFacts(lake)).toEqual(facts);
  expect(await merge(lake)).toEqual(rows);

  // What follows is combined apart.
  for (const at of [5000, 6000]) await crawlMore(paths[0]!, at);
  const more = await merge(lake);
  expect(await compact(lake)).toMatchObject({ replaced: 2, made: 1 });
  expect(await compact(lake)).toMatchObject({ replaced: 0, made: 0 });
  expect(listFactFiles(lake)).toHaveLength(3);
  expect(await merge(lake)).toEqual(more);
});

test('a purge reaches files that were replaced, too', async () => {
  const { lake, paths } = await shipFiles(2);
  await storePerson(paths[0]!, 7000);
  await ship(paths[0]!);
  await forgetPerson(paths[0]!, 'redact');
  await ship(paths[0]!);
  await compact(lake);
  await runSuccessfully(['lake', 'purge', lake]);
  expect(listFactFiles(lake)).toHaveLength(2);
  const text = JSON.stringify(await merge(lake));
  expect(OWN_TRACES.filter((trace) => text.includes(trace))).toEqual([]);
});

test('a compaction that is killed anywhere loses nothing', async () => {
  const { lake: first } = await shipFiles(3);
  const operations = await listOperations(['lake', 'compact', first, '--quiet']);
  const points = [0.1, 0.5, 0.9].map((share) => Math.ceil(share * operations.length));
  for (const point of points) {
    const { lake } = await shipFiles(3);
    const facts = countFacts(lake);
    await killTrawl(['lake', 'compact', lake, '--quiet'], point);
    await compact(lake);
    await compact(lake);
    expect(countFacts(lake), operations[point - 1]).toEqual(facts);
    expect(listFactFiles(lake).flatMap((file) => readdirSync(dirname(file)))).toHaveLength(2);
  }
});

test('a place that is no target is refused', async () => {
  expect(await runCli(['lake', 'compact', tempDir()])).toMatchObject(failure(2, 'nothing was shipped to'));
});
