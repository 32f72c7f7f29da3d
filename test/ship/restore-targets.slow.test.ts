import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import { runJson, runSuccessfully } from '../support/cli.ts';
import { startPostgres } from '../support/postgres.ts';
import { tempDir, tempFile } from '../support/temp.ts';
import { forgetPerson, OWN_TRACES, storePerson } from './purged-lake.ts';
import { readRows } from './restored-rows.ts';
import { startS3Server } from './s3/s3-server.ts';
import { storePages } from './shipped-store.ts';

test.each([
  ['object storage', async () => ({ address: 's3://lake/of/all', env: (await startS3Server()).env })],
  ['PostgreSQL', async () => ({ address: (await startPostgres()).address, env: {} })],
] as const)('a store is restored from %s, also after a purge', async (_, start) => {
  const { address, env } = await start();
  const path = tempFile('mine.db');
  const run = (...args: string[]) => runSuccessfully([...args, '--quiet'], { env });
  const restore = async (): Promise<string> => {
    const restored = join(tempDir(), 'restored.db');
    await run('restore', '--from', address, '--db', restored);
    return restored;
  };
  const ship = () => run('ship', 'run', '--once', '--db', path);
  await openStore(path)[Symbol.asyncDispose]();
  await runSuccessfully(['ship', 'add', address, '--db', path], { env });
  await ship();
  {
    await using store = openStore(path);
    await storePages(store, '1', 100);
    await storePages(store, '1', 300);
  }
  await storePerson(path, 1000);
  await ship();
  expect(readRows(await restore())).toEqual(readRows(path));

  await forgetPerson(path, 'redact');
  await ship();
  expect(await runJson(['ship', 'purge', address, '--json', '--quiet'], { env })).toMatchObject({
    tables: expect.arrayContaining([expect.objectContaining({ table: 'user_sightings' })]) as unknown[],
  });
  const rows = readRows(await restore());
  expect(OWN_TRACES.filter((trace) => JSON.stringify(rows).includes(trace))).toEqual([]);
  for (const name of ['users', 'tweets', 'periods', 'tombstones', 'hits'])
    expect(rows[name], name).toEqual(readRows(path)[name]);
});
