import { expect, test } from 'vitest';
import { eraseAccounts } from '#store/erasure/erase-accounts.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../../support/store-file.ts';
import { tempFile } from '../../support/temp.ts';
import { all } from '../../world/worlds.ts';
import { scanFolder } from './scan.ts';

const DAY = 86_400_000;
const PERSON = '7788990011';

/** Erases the person from a store with these rows. */
async function eraseFrom(rows: string): Promise<string> {
  const path = createStoreFile(tempFile('mine.db'));
  {
    using db = openDatabase(path);
    db.$client
      .exec(`insert into users (id, rest_id, screen_name, first_seen_at) values (1, '${PERSON}', 'zabledaux', 1);
      ${rows}`);
  }
  const options = { path, mentions: 'keep', now: () => 1, onProgress: () => undefined } as const;
  await eraseAccounts({ ...options, accounts: { restIds: [PERSON], handles: [] } });
  return path;
}

test('each window of a search counts the items of its own search string that are erased', async () => {
  const [from, to] = [Date.UTC(2024, 0, 10), Date.UTC(2024, 1, 1)];
  const options = [{}, { from, to }, { exact: true, from, to: from + DAY }, { from: from - DAY, to }];
  const strings = ['#tea', '#tea since:2024-01-09 until:2024-02-01', '#tea since:2024-01-10 until:2024-01-11'];
  const path = await eraseFrom(`
    insert into tweets (id, rest_id, author_id, first_seen_at, last_seen_at) values (5, '551', 1, 10, 10), (6, '552', 1, 10, 10);
    ${strings.map((query, i) => `insert into searches values (${i + 1}, '${query}', 10, 10);`).join('\n')}
    insert into search_hits (search_id, tweet_id, rank, first_seen_at, last_seen_at)
      values (1, 5, 1, 10, 10), (1, 6, 2, 10, 10), (2, 5, 1, 10, 10), (3, 6, 1, 10, 10);
    ${options
      .map(
        (
          option,
        ) => `insert into crawls (kind, target, options, state, pages, created_at, updated_at, finished_at, priority)
          values ('search', '#tea', '${JSON.stringify(option)}', 'complete', 1, 9, 11, 11, 'backfill');`,
      )
      .join('\n')}`);
  using db = openDatabase(path);
  expect(all<{ n: number }>(db, 'select erased_items as n from crawls order by id').map(({ n }) => n)).toEqual([
    2, 1, 1, 0,
  ]);
});

test('samples of pages whose bodies have expired do not outlive an erasure', async () => {
  const text = 'velociraptors dislike marmalade';
  const path = await eraseFrom(`
    insert into crawls (id, kind, target, options, state, pages, created_at, updated_at, priority)
      values (1, 'search', 'x', '{}', 'complete', 1, 1, 1, 'backfill');
    insert into _steps (id, crawl_id, committed_at, response_roles, first_raw_page_id) values (1, 1, 1, 'p', 40);
    insert into rejects (crawl_id, raw_page_id, endpoint, path, reason, sample, rejected_at)
      values (1, 40, 'search', '/data/3', 'no id', '{"text":"${text}"}', 1);
    insert into _dropped_fields (crawl_id, endpoint, field, reason, occurrences, first_seen_at, last_seen_at, sample)
      values (1, 'search', 'tweet.text', 'is no text', 1, 1, 1, '["${text}"]');
    insert into _drift (endpoint, field, first_seen_at, last_seen_at, occurrences, sample)
      values ('search', 'tweet.note', 1, 1, 1, '"${text}"')`);
  expect(scanFolder(path, [text])).toEqual([]);
});
