import { expect, test } from 'vitest';
import { runSuccessfully } from '../support/cli.ts';
import { rowsOf, serve, valueOf, withWorld } from './support.ts';

const world = withWorld(60, 11);

test('the cursors of an extended twin are followed: lists of several pages are crawled completely', async () => {
  const service = await serve(world, { pageSize: 3, extended: true });
  const { db: file, env } = service;
  const [busy] = rowsOf<{ id: number; name: string }>(
    world.file,
    'select u.id, screen_name as name from users u join tweets t on t.author_id = u.id group by u.id order by count(*) desc',
  );
  const [asked] = rowsOf<{ id: string }>(world.file, 'select rest_id as id from tweets order by reply_count desc');
  for (const [kind, target] of [
    ['replies', busy!.name],
    ['tweet', asked!.id],
  ] as const) {
    await runSuccessfully(['crawl', kind, target, '--quiet'], { env });
  }
  const ids = (from: string, condition: string, ...values: unknown[]) =>
    rowsOf<{ rest_id: string }>(from, `select rest_id from tweets where ${condition} order by 1`, ...values);
  const author = valueOf(file, 'select id from users where screen_name = ?', busy!.name);
  expect(ids(file, 'author_id = ?', author)).toEqual(ids(world.file, 'author_id = ?', busy!.id));
  const served = ids(world.file, 'in_reply_to_status_rest_id = ?', asked!.id);
  expect(served.length).toBeGreaterThan(3);
  // A nested reply does not say what it answers.
  const found = JSON.stringify(served.map(({ rest_id: id }) => id));
  expect(ids(file, 'rest_id in (select value from json_each(?))', found)).toEqual(served);
});
