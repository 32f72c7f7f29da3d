import type Database from 'better-sqlite3';

/** Tables, indexes, views and triggers that users added to a store: kept, or named if they no longer work. */

export interface SchemaObject {
  readonly type: 'table' | 'index' | 'view' | 'trigger';
  readonly name: string;
  readonly table: string;
  readonly sql: string;
}

export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Returns all objects of a database, in order of creation. */
export const readSchema = (client: Database.Database): SchemaObject[] =>
  client
    .prepare<[], SchemaObject>(
      'select type, name, tbl_name as "table", sql from sqlite_schema where sql is not null order by rowid',
    )
    .all();

/** Prepares the upgrade of a schema with objects of the user. @param own the names of the store's objects */
export function prepareUserObjects(client: Database.Database, own: ReadonlySet<string>) {
  const all = readSchema(client);
  const users = all.filter(({ name }) => !own.has(name));
  const dropped: SchemaObject[] = [];

  /**
   * Runs a statement that changes the schema. SQLite adapts views and triggers; those that it cannot parse, since they use
   * views of the store, are dropped until `restore`.
   */
  function alter(statement: string): void {
    for (;;) {
      try {
        return void client.exec(statement);
      } catch (error) {
        const [, type, name] =
          /error in (view|trigger) (.+?)(?: after \w+(?: \w+)?)?: /.exec((error as Error).message) ?? [];
        const object = readSchema(client).find((each) => each.type === type && each.name === name);
        if (!object || own.has(object.name)) throw error;
        dropped.push(users.find((each) => each.name === name) ?? object);
        client.exec(`drop ${object.type} ${quoteName(object.name)}`);
      }
    }
  }

  const works = (sql: string): boolean => {
    try {
      client.prepare(sql);
      return true;
    } catch {
      return false;
    }
  };
  const isWritable = (table: string): boolean =>
    [`delete from ${quoteName(table)}`, `insert into ${quoteName(table)} default values`, updateOf(table)].every(works);
  const updateOf = (table: string): string => {
    const columns = client.prepare<[string], string>('select name from pragma_table_info(?)').pluck().all(table);
    return `update ${quoteName(table)} set ${columns.map((name) => `${quoteName(name)} = null`).join(', ')}`;
  };

  return {
    storeObjects: all.filter(({ name }) => own.has(name)),
    alter,
    /** Creates the dropped objects again. Returns the names of views and triggers that do not work. */
    restore(): { readonly broken: readonly string[]; readonly removed: readonly string[] } {
      const removed: string[] = [];
      for (const { type, name, sql, table } of dropped.toReversed().toSorted((a) => (a.type === 'view' ? -1 : 1))) {
        if (!works(sql) && type === 'trigger') {
          removed.push(name);
          continue;
        }
        client.exec(sql);
        if (type === 'view' || isWritable(table)) continue;
        client.exec(`drop trigger ${quoteName(name)}`);
        removed.push(name);
      }
      const views = users.filter(({ type }) => type === 'view').map(({ name }) => name);
      const broken = views.filter((name) => !works(`select * from ${quoteName(name)}`));
      return { broken: [...broken, ...removed], removed };
    },
  };
}
