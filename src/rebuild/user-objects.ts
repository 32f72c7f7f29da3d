import type { Db } from '../store/sqlite/database.ts';

/**
 * What the old store has and no migration makes: tables, virtual tables, views, indexes and triggers of its users, and
 * the index that a replay does without.
 *
 * Virtual tables are kept as a dump by the sqlite3 shell keeps them: their shadow tables are copied row by row, and
 * their own entry of the schema as it is. So no module is asked for, and an index without content keeps what it has.
 */

interface SchemaEntry {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  readonly sql: string;
  readonly isVirtual: 0 | 1;
}

/** Creates the tables of the users, shadow tables included, with their rows. */
export function copyUserTables(db: Db): void {
  const { $client } = db;
  const tables = missingEntries(db).filter(({ type, isVirtual }) => type === 'table' && !isVirtual);
  if (tables.length === 0) return;
  // Without it, SQLite reserves the names of shadow tables.
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

/** Creates the rest: virtual tables, views, indexes, and triggers, which have nothing to do with what is copied. */
export function createUserObjects(db: Db): void {
  const { $client } = db;
  const entries = missingEntries(db);
  const virtual = entries.filter(({ isVirtual }) => isVirtual);
  if (virtual.length > 0) addToSchema(db, virtual);
  for (const { type, sql } of entries) if (type === 'view') $client.exec(sql);
  for (const { name, sql } of virtual) if (/\susing\s+["'`[]?fts[345]\b/i.test(sql)) rebuildIndex(db, name);
  for (const { type, sql } of entries) if (type === 'index' || type === 'trigger') $client.exec(sql);
}

/** In order of creation: a trigger may belong to a view. */
const missingEntries = ({ $client }: Db): SchemaEntry[] =>
  $client
    .prepare<[], SchemaEntry>(
      `select type, name, sql, sql like 'create virtual table %' as isVirtual from old.sqlite_schema
       where sql is not null and name not in (select name from main.sqlite_schema)
         and name not like 'sqlite!_%' escape '!' order by rowid`,
    )
    .all();

/** Copies all rows with their rowids, on which indexes of other tables rely; generated columns generate themselves. */
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
  const list = [...(withoutRowid || isNamed ? [] : ['rowid']), ...columns.map(quoted)].join(', ');
  return `insert into main.${quoted(table)} (${list}) select ${list} from old.${quoted(table)}`;
}

/** The next number of a table with AUTOINCREMENT is above that of every row that it ever had. */
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
    // Has the schema read again, too.
    $client.pragma('writable_schema = reset');
    $client.unsafeMode(false);
  }
}

/** A full-text index of another table or view may be about rows that the replay made anew. */
function rebuildIndex({ $client }: Db, name: string): void {
  const hasContent = $client.prepare('select 1 from old.sqlite_schema where name = ?').get(`${name}_content`);
  if (hasContent) return;
  try {
    $client.exec(`insert into main.${quoted(name)} (${quoted(name)}) values ('rebuild')`);
  } catch (error) {
    // It has no content to index, or that is gone: it stays as it was copied.
    if ((error as { code?: unknown }).code !== 'SQLITE_ERROR') throw error;
  }
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
