import type Database from 'better-sqlite3';
import { readMigrationFiles } from 'drizzle-orm/migrator';
import { REQUESTED_ID } from '../crawls/requested-id.ts';
import { columnsWith, FULL_TEXT_INDEXES } from '../erasure/inventory.ts';
import { TWEET_LISTS } from '../relations/list-relations.ts';
import { type Db, MIGRATIONS_FOLDER } from '../sqlite/database.ts';
import { quoteName } from '../sqlite/quote-name.ts';
import { RELEASE_GAPS } from '../writer/reprocess.ts';

/**
 * Tables that a rebuild derives from pages: those about accounts, tweets and searches, and what pages say of groups, coverage and
 * fields. All others stay; the counters of `crawls` are counted again.
 */
export const DERIVED_TABLES: ReadonlySet<string> = new Set([
  ...columnsWith('user key', 'tweet key', 'search key').map(([table]) => table),
  ...TWEET_LISTS.map(([, { owners }]) => owners),
  'coverage',
  'gaps',
  '_search_windows',
  '_drift',
  '_field_statistics',
  'rejects',
  '_dropped_fields',
]);

/** Columns of a crawl that a replay counts again; the others stay. */
const COUNTED_COLUMNS = ['items', 'new_items', 'changes', 'rejected_items'];

/** The state of a crawl before its first page. The unique index over unfinished crawls is dropped meanwhile. */
const RESET_CRAWLS = `update main.crawls set state = 'running', reason = null, ending = null, error = null, target_rest_id = ${REQUESTED_ID},
  cursor = null, checkpoint = null, pages = 0, items = 0, new_items = 0, changes = 0, rejected_items = 0, requests = 0, consecutive_failures = 0, lease_token = 0,
  finished_at = null`;

/**
 * Empties the derived tables of a copy, and resets its crawls. Requests come back with their steps. Triggers of users would keep
 * the replay as history: they are dropped meanwhile. Returns the function that restores the remaining records after the
 * replay, and objects of users.
 */
export function resetStore({ $client }: Db): () => void {
  const list = <Row>(columns: string, where: string): Row[] =>
    $client.prepare<[], Row>(`select ${columns} from main.sqlite_schema where ${where} order by rowid`).all();
  const triggers = list<SchemaEntry>('name, sql', `type = 'trigger'`);
  const [unfinished] = list<SchemaEntry>('name, sql', `name = 'crawls_unfinished'`);
  for (const { name } of triggers) $client.exec(`drop trigger main.${quoteName(name)}`);
  $client.exec(`drop index main.crawls_unfinished; delete from main.requests`);
  for (const table of DERIVED_TABLES) $client.exec(`delete from main.${table}`);
  for (const index of FULL_TEXT_INDEXES) $client.exec(`insert into main.${index} (${index}) values ('delete-all')`);
  $client.exec(RESET_CRAWLS);
  const migrations = readMigrationFiles({ migrationsFolder: MIGRATIONS_FOLDER }).flatMap(({ sql }) => sql);
  const isOwn = ({ name }: SchemaEntry): boolean =>
    migrations.some((sql) => sql.includes(`CREATE TRIGGER \`${name}\``));
  for (const { sql } of triggers.filter(isOwn)) $client.exec(sql);

  return () => {
    restoreRecords($client);
    $client.exec(unfinished!.sql);
    for (const { name, sql } of list<SchemaEntry>('name, sql', `sql like 'create virtual table %'`))
      if (!FULL_TEXT_INDEXES.includes(name) && /\susing\s+["'`[]?fts[345]\b/i.test(sql)) rebuildIndex($client, name);
    for (const trigger of triggers) if (!isOwn(trigger)) $client.exec(trigger.sql);
  };
}

interface SchemaEntry {
  readonly name: string;
  readonly sql: string;
}

function restoreRecords(client: Database.Database): void {
  client.exec(
    'insert into main.requests select * from old.requests where id > coalesce((select max(id) from main.requests), 0)',
  );
  const columns = client
    .prepare<[], string>("select name from pragma_table_info('crawls')")
    .pluck()
    .all()
    .filter((name) => name !== 'id' && !COUNTED_COLUMNS.includes(name))
    .map(quoteName)
    .join(', ');
  client.exec(`
    create temp table cleared as select c.id, c.state, c.reason from main.crawls c join old.crawls o on o.id = c.id
      where c.state in ('complete', 'capped') and o.reason = 'rejected_items' or c.state = 'capped' and o.state = 'complete';
    update main.crawls set (${columns}) = (select ${columns} from old.crawls o where o.id = crawls.id);
    update main.crawls set (state, reason) = (select state, reason from temp.cleared c where c.id = crawls.id)
      where id in (select id from temp.cleared);
    drop table temp.cleared;
    ${RELEASE_GAPS}`);
}

/** Rebuilds a full-text index of a user with external content, whose rows the replay may have changed. */
function rebuildIndex(client: Database.Database, name: string): void {
  const hasContent = client.prepare('select 1 from main.sqlite_schema where name = ?').get(`${name}_content`);
  if (hasContent) return;
  try {
    client.exec(`insert into main.${quoteName(name)} (${quoteName(name)}) values ('rebuild')`);
  } catch (error) {
    // An index without a content table keeps its copied data.
    if ((error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error;
  }
}
