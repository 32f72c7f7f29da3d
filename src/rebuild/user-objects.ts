import type { Db } from '../store/sqlite/database.ts';
import { quoteName } from '../store/sqlite/quote-name.ts';

/**
 * Copies objects that no migration creates: tables, virtual tables, views, indexes and triggers of users, and the index
 * that a replay drops.
 *
 * Virtual tables are copied like in a dump of the sqlite3 shell: their shadow tables row by row, and their entry of the
 * schema as text. So their module need not be loaded, and an index without content keeps its data.
 */

interface SchemaEntry {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  readonly sql: string;
  readonly isVirtual: 0 | 1;
}

/** Creates the tables of users, shadow tables included, with their rows. */
export function copyUserTables(db: Db): void {
  const { $client } = db;
  const tables = missingEntries(db).filter(({ type, isVirtual }) => type === 'table' && !isVirtual);
  if (tables.length === 0) return;
  // SQLite otherwise reserves the names of shadow tables.
  $client.unsafeMode(true);
  try {
    for (const { name, sql } of tables) {
      $client.exec(sql);
      $client.exec(copyStatement(db, name));
    }
    copySequences(db, tables);
  } finally {
    $client.unsafeMode(false);
  }
}

/** Creates virtual tables, views and indexes; triggers last, so that they do not fire. */
export function createUserObjects(db: Db): void {
  const { $client } = db;
  const entries = missingEntries(db);
  const virtual = entries.filter(({ isVirtual }) => isVirtual);
  if (virtual.length > 0) addToSchema(db, virtual);
  for (const { type, sql } of entries) if (type === 'view') $client.exec(sql);
  for (const { name, sql } of virtual) if (/\susing\s+["'`[]?fts[345]\b/i.test(sql)) rebuildIndex(db, name);
  for (const { type, sql } of entries) if (type === 'index' || type === 'trigger') $client.exec(sql);
}

/** In order of creation, since a trigger may belong to a view. */
const missingEntries = ({ $client }: Db): SchemaEntry[] =>
  $client
    .prepare<[], SchemaEntry>(
      `select type, name, sql, sql like 'create virtual table %' as isVirtual from old.sqlite_schema
       where sql is not null and name not in (select name from main.sqlite_schema)
         and name not like 'sqlite!_%' escape '!' order by rowid`,
    )
    .all();

/**
 * Returns the statement that copies all rows with their rowids, which indexes of other tables use. Generated columns
 * are left out.
 */
function copyStatement({ $client }: Db, table: string): string {
  const columns = $client
    .prepare<[string], string>("select name from pragma_table_xinfo(?, 'old') where hidden = 0")
    .pluck()
    .all(table);
  const withoutRowid = $client
    .prepare<[string], number>("select wr from pragma_table_list where schema = 'old' and name = ?")
    .pluck()
    .get(table);
  const isNamed = columns.some((name) => name.toLowerCase() === 'rowid');
  const list = [...(withoutRowid || isNamed ? [] : ['rowid']), ...columns.map(quoteName)].join(', ');
  return `insert into main.${quoteName(table)} (${list}) select ${list} from old.${quoteName(table)}`;
}

/** Copies the counters of tables with AUTOINCREMENT. */
function copySequences({ $client }: Db, tables: readonly SchemaEntry[]): void {
  const hasSequences = (schema: string): boolean =>
    $client.prepare(`select 1 from ${schema}.sqlite_schema where name = 'sqlite_sequence'`).get() !== undefined;
  if (!hasSequences('old') || !hasSequences('main')) return;
  for (const { name } of tables) {
    $client.prepare('delete from main.sqlite_sequence where name = ?').run(name);
    $client
      .prepare('insert into main.sqlite_sequence select name, seq from old.sqlite_sequence where name = ?')
      .run(name);
  }
}

function addToSchema({ $client }: Db, entries: readonly SchemaEntry[]): void {
  $client.unsafeMode(true);
  try {
    $client.pragma('writable_schema = on');
    const add = $client.prepare(
      "insert into main.sqlite_schema (type, name, tbl_name, rootpage, sql) values ('table', @name, @name, 0, @sql)",
    );
    for (const { name, sql } of entries) add.run({ name, sql });
  } finally {
    // This also reloads the schema.
    $client.pragma('writable_schema = reset');
    $client.unsafeMode(false);
  }
}

/** Rebuilds a full-text index with external content, whose rows the replay may have changed. */
function rebuildIndex({ $client }: Db, name: string): void {
  const hasContent = $client.prepare('select 1 from old.sqlite_schema where name = ?').get(`${name}_content`);
  if (hasContent) return;
  try {
    $client.exec(`insert into main.${quoteName(name)} (${quoteName(name)}) values ('rebuild')`);
  } catch (error) {
    // An index without a content table keeps its copied data.
    if ((error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error;
  }
}
