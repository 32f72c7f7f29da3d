import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newStore } from '../../store/support.ts';
import { runSuccessfully } from '../../support/cli.ts';
import { tempDir } from '../../support/temp.ts';
import { askLake } from '../lake.ts';
import { addLake, storePages } from '../shipped-store.ts';

test('views of a lake whose days were deleted show what is left, also without any file of a table', async () => {
  const store = newStore();
  const lake = tempDir();
  await storePages(store, '1', 100);
  addLake(store.path, lake);
  await runSuccessfully(['ship', 'run', '--once', '--quiet', '--db', store.path]);
  for (const table of ['tweet_sightings', 'bodies'])
    for (const day of readdirSync(join(lake, table))) rmSync(join(lake, table, day), { recursive: true });
  const { stdout: views } = await runSuccessfully(['ship', 'views', lake]);
  const counts =
    'select (select count(*) from v_users), (select count(*) from v_tweets), (select count(*) from bodies)';
  expect(await askLake([], counts, views)).toEqual([[10, 0, 0]]);
});
