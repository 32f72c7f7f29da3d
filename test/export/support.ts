import { onTestFinished } from 'vitest';
import type { Selection } from '#files/export/row-selection.ts';
import { openSnapshot, type Snapshot } from '#files/export/snapshot.ts';
import { readTable } from '#files/export/table-file.ts';
import { exportTables, type TableName } from '#files/export/tables/export-tables.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { createStoreFile } from '../support/store-file.ts';
import { tempFile } from '../support/temp.ts';

const DAY = 24 * 60 * 60 * 1000;
/** 1 January 2025 and the days after it, in milliseconds. */
export const jan = (day: number): number => Date.UTC(2025, 0, 1) + (day - 1) * DAY;

/** An id that no double can hold. */
export const ADA = '9007199254740993';

/**
 * A store with known rows: `ada` (renamed from `ada_then`), `bob`, `gone` (the service answers 404) and an account without a
 * handle. Tweet 103 is deleted, 104 suspected, and 108 was missing and seen again; 106 has neither an author nor a time.
 */
export function createKnownStore(): string {
  const path = createStoreFile(tempFile('known.db'));
  using db = openDatabase(path);
  db.$client.exec(`
    insert into users (id, rest_id, screen_name, name, followers_count, created_at, first_seen_at, profile_at, verified) values
      (1, '${ADA}', 'ada', 'Ada', 12, ${jan(1)}, 1000, 2000, 1),
      (2, '20', 'Bob', 'say "hi", Bob', null, ${jan(2)}, 1000, null, 0),
      (3, '30', 'gone', null, null, null, 1000, null, null),
      (4, '40', null, null, null, null, 1000, null, null);
    insert into _user_last_seen (user_id, last_seen_at, last_summary_at) values (1, 5000, 5000), (2, 5000, 5000), (3, 5000, null), (4, 5000, null);
    insert into user_history (user_id, last_seen_at, changed_at, screen_name) values (1, 3000, 4000, 'ada_then');
    insert into tweets (id, rest_id, author_id, text, created_at, favorite_count, first_seen_at, last_seen_at,
      in_reply_to_status_rest_id, in_reply_to_user_rest_id, in_reply_to_screen_name, seen_in_lists) values
      (1, '101', 1, 'first', ${jan(1)}, 3, 5000, 6000, null, null, null, 1),
      (2, '102', 1, 'second', ${jan(2)}, null, 5000, 6000, null, null, null, 1),
      (3, '103', 2, 'regretted', ${jan(2)}, 0, 5000, 6000, '101', '${ADA}', 'ada', 2),
      (4, '104', 2, 'suspected', ${jan(3)}, 0, 5000, 6000, null, null, null, 1),
      (5, '105', 3, 'of a gone account', ${jan(3)}, 0, 5000, 6000, null, null, null, 1),
      (6, '106', null, null, null, null, 5000, 6000, null, null, null, 0),
      (7, '107', 2, 'answer', ${jan(4)}, 0, 5000, 6000, '101', '${ADA}', 'ada', 2),
      (8, '108', 2, 'back', ${jan(5)}, 0, 5000, 9000, null, null, null, 1);
    insert into _deletion_evidence (tweet_id, suspected_at, confirmed_at, crawl_id) values
      (3, 7000, 7100, 1), (4, 7000, null, 1), (8, 7000, 7100, 1);
    insert into tweet_replies (tweet_id, reply_id, first_seen_at, last_seen_at) values (2, 6, 5000, 6000), (7, 6, 5000, 6000);
    insert into tweet_hashtags (tweet_id, tag) values (1, 'b'), (1, 'a'), (3, 'a'), (5, 'a'), (7, 'a');
    insert into tweet_mentions (tweet_id, screen_name) values (2, 'bob'), (2, 'nobody'), (3, 'ada');
    insert into tweet_links (tweet_id, url) values (1, 'https://example.org/1'), (5, 'https://example.org/5');
    insert into media (tweet_id, position, type, url, width, height) values
      (1, 1, 'photo', 'https://example.org/b.jpg', 10, 20), (1, 0, 'photo', 'https://example.org/a.jpg', 10, 20),
      (3, 0, 'photo', 'https://example.org/c.jpg', 1, 2);
    insert into follows (id, follower_id, followee_id, first_seen_at, last_seen_at, ended_at, first_missed_at) values
      (1, 1, 2, ${jan(1)}, ${jan(3)}, null, null), (2, 2, 1, ${jan(1)}, ${jan(2)}, ${jan(3)}, ${jan(3)}),
      (3, 3, 1, ${jan(1)}, ${jan(3)}, null, null), (4, 4, 2, ${jan(4)}, ${jan(5)}, null, null);
    insert into crawls (id, kind, target, options, priority, state, reason, ending, target_rest_id, created_at, started_at, updated_at, finished_at) values
      (1, 'timeline', 'ada', '{}', 'interactive', 'complete', null, 'served', '${ADA}', 5000, 5000, 6000, 6000),
      (2, 'timeline', 'bob', '{}', 'interactive', 'partial', 'max_pages', null, '20', 5000, 5000, 6000, 6000),
      (3, 'followers', 'id:30', '{}', 'interactive', 'failed', 'not_found', null, '30', 7000, 7000, 8000, 8000),
      (4, 'followers', 'ada', '{}', 'interactive', 'complete', null, 'served', '${ADA}', 5000, 5000, 6000, 6000);
    insert into requests (crawl_id, endpoint, sent_at, status, duration_ms, response_bytes) values (3, 'followers', 7500, 404, 1, 1);
    insert into coverage (id, kind, target, newest_rest_id, newest_at, oldest_rest_id, oldest_at, list_end, crawl_id, pages, items, created_at, updated_at) values
      (1, 'timeline', '${ADA}', '102', ${jan(2)}, '101', ${jan(1)}, 'served', 1, 1, 2, 6000, 6000),
      (2, 'timeline', '20', '108', ${jan(5)}, '107', ${jan(4)}, null, 2, 1, 2, 6000, 6000);
    insert into gaps (id, kind, target, coverage_id, newer_rest_id, newer_at, older_rest_id, older_at, reason, crawl_id, updated_at) values
      (1, 'timeline', '20', 2, '107', ${jan(4)}, null, null, 'max_pages', 2, 6000);
    insert into _list_snapshots (crawl_id, side, user_id, started_at, finished_at, item_count, missed_count, ended_count) values
      (4, 'followers', 1, ${jan(3)}, ${jan(3) + 1}, 2, 0, 0);
  `);
  return path;
}

/** A snapshot that is closed when the test ends. */
export function snapshotOf(path: string): Snapshot {
  const snapshot = openSnapshot(path);
  onTestFinished(() => snapshot[Symbol.dispose]());
  return snapshot;
}

/** The rows of an exported table, as objects. */
export function readRows(snapshot: Snapshot, table: TableName, selection: Selection = {}): Record<string, unknown>[] {
  const { columns, rows } = readTable(snapshot, exportTables[table], selection);
  return Array.from(rows, (row) => Object.fromEntries(columns.map(({ name }, i) => [name, row[i]])));
}
