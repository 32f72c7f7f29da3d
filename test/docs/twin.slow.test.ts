import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { rowsOf, serve, withWorld } from '../e2e/support.ts';
import { runCli } from '../support/cli.ts';
import { tempDir } from '../support/temp.ts';

const page = readFileSync(resolve(import.meta.dirname, '../../docs/twin.md'), 'utf8');
const world = withWorld(120, 7);

test('docs/twin.md: the named crawls notice changes of a world', { timeout: 60_000 }, async () => {
  const [, changes] = /```sql\n([^]*?)```/.exec(page)!;
  const db = join(tempDir(), 'mine.db');
  const { env } = await serve(world);
  const crawl = async (...words: string[]): Promise<void> => {
    const result = await runCli(['crawl', ...words, '--db', db, '--quiet'], { env });
    expect(result, result.stderr).toMatchObject({ code: 0 });
  };
  await crawl('followers', 'HarbourNews', 'nightsky_now');
  await crawl('timeline', 'HarbourNews');
  world.db.$client.exec(changes!);
  await crawl('followers', 'HarbourNews');
  await crawl('followers', 'HarbourNews');
  await crawl('timeline', 'HarbourNews', '--full-refresh');
  await crawl('profile', 'nightsky_then');

  expect(rowsOf(db, "select change from v_follow_changes where followee = 'HarbourNews' and change <> 'came'")).toEqual(
    [{ change: 'went' }],
  );
  expect(rowsOf(db, 'select state from v_deleted_tweets')).toEqual([{ state: 'deleted' }]);
  expect(rowsOf(db, 'select screen_name from v_handle_periods where valid_to is not null')).toEqual([
    { screen_name: 'nightsky_now' },
  ]);
});
