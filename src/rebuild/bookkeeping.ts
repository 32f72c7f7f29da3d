import { setImmediate as nextTurn } from 'node:timers/promises';
import { REQUESTED_ID } from '../store/crawls/requested-id.ts';
import { columnsWith } from '../store/erasure/inventory.ts';
import type { Db } from '../store/sqlite/database.ts';
import { quoteName } from '../store/sqlite/quote-name.ts';
import { RELEASE_GAPS } from '../store/writer/reprocess.ts';
import { copyUserTables, createUserObjects } from './user-objects.ts';

const BATCH_SIZE = 500;

/**
 * Tables that a rebuild derives from pages: those about accounts, tweets and searches, and what pages say of groups, coverage and
 * fields. All others are copied; the counters of `crawls` are counted again.
 */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  ...columnsWith('user key', 'tweet key', 'search key').map(([table]) => table),
  'communities',
  'lists',
  'coverage',
  'gaps',
  '_search_windows',
  '_drift',
  '_field_statistics',
  'rejects',
  '_dropped_fields',
]);

/** Columns of a crawl that a replay counts again; the others are copied. */
const COUNTED_COLUMNS = ['items', 'new_items', 'changes', 'rejected_items'];

/** The state of a crawl before its first page. The unique index over unfinished crawls is dropped meanwhile. */
const RESET_CRAWLS = `update main.crawls set state = 'running', reason = null, ending = null, error = null, target_rest_id = ${REQUESTED_ID},
  cursor = null, checkpoint = null, pages = 0, items = 0, new_items = 0, changes = 0, rejected_items = 0, requests = 0, consecutive_failures = 0, lease_token = 0,
  finished_at = null`;

/** Copies crawls, runs, requests and other records from the old store and resets its crawls. */
export async function copyBookkeeping(db: Db, signal: AbortSignal): Promise<void> {
  const { $client } = db;
  $client.exec('drop index main.crawls_unfinished');
  const tables = $client
    .prepare<[], string>(
      `select name from pragma_table_list where schema = 'old' and type = 'table' and name in (select name from main.sqlite_schema)
         and name not like 'sqlite!_%' escape '!'`,
    )
    .pluck()
    .all();
  for (const table of tables) {
    // Requests are copied with their steps, bodies in batches.
    if (DERIVED_TABLES.has(table) || ['__drizzle_migrations', 'requests', 'raw_pages'].includes(table)) continue;
    $client.exec(`insert into main.${quoteName(table)} select * from old.${quoteName(table)}`);
  }
  // Numbers of entries are never given again.
  $client.exec('delete from main.sqlite_sequence; insert into main.sqlite_sequence select * from old.sqlite_sequence');
  $client.exec(RESET_CRAWLS);
  copyUserTables(db);
  const copyBatch = $client.prepare(
    `insert into main.raw_pages select * from old.raw_pages
     where id > coalesce((select max(id) from main.raw_pages), 0) order by id limit ${BATCH_SIZE}`,
  );
  while (copyBatch.run().changes > 0) {
    await nextTurn();
    signal.throwIfAborted();
  }
}

/** Restores the remaining records after the replay, and objects of users. */
export function finishBookkeeping(db: Db): void {
  const { $client } = db;
  $client.exec(
    'insert into main.requests select * from old.requests where id > coalesce((select max(id) from main.requests), 0)',
  );
  const columns = $client
    .prepare<[], string>("select name from pragma_table_info('crawls')")
    .pluck()
    .all()
    .filter((name) => name !== 'id' && !COUNTED_COLUMNS.includes(name))
    .map(quoteName)
    .join(', ');
  $client.exec(`
    create temp table cleared as select c.id, c.state, c.reason from main.crawls c join old.crawls o on o.id = c.id
      where c.state in ('complete', 'capped') and o.reason = 'rejected_items' or c.state = 'capped' and o.state = 'complete';
    update main.crawls set (${columns}) = (select ${columns} from old.crawls o where o.id = crawls.id);
    update main.crawls set (state, reason) = (select state, reason from temp.cleared c where c.id = crawls.id)
      where id in (select id from temp.cleared);
    drop table temp.cleared;
    ${RELEASE_GAPS}`);
  createUserObjects(db);
}
