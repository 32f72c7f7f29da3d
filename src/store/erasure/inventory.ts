import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { getTableConfig, type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import * as schema from '#store/schema/tables.ts';
import { type ColumnUse, noteOf } from '#store/schema/tables/columns.ts';

/** The tables whose keys say whose a row is. */
const KEYS: ReadonlyMap<string, ColumnUse> = new Map([
  ['users', 'user key'],
  ['tweets', 'tweet key'],
  ['searches', 'search key'],
]);

function useOf(column: SQLiteColumn, references: ReadonlyMap<string, string>): ColumnUse | undefined {
  return noteOf(column) ?? KEYS.get(references.get(column.name) ?? (column.primary ? getTableName(column.table) : ''));
}

/** What the columns of a table may hold of a person: their notes, and the keys of accounts, tweets and searches. */
function listUses(table: SQLiteTable): Record<string, ColumnUse> {
  const references = new Map(
    getTableConfig(table).foreignKeys.map((key) => {
      const { columns, foreignTable } = key.reference();
      return [columns[0]!.name, getTableName(foreignTable)];
    }),
  );
  const uses = Object.values<SQLiteColumn>(getTableColumns(table)).map((column) => [
    column.name,
    useOf(column, references),
  ]);
  return Object.fromEntries(uses.filter(([, use]) => use !== undefined && use !== 'plain')) as Record<
    string,
    ColumnUse
  >;
}

/** The tables of a store. */
export const TABLES = Object.values<unknown>(schema).filter((each): each is SQLiteTable => is(each, SQLiteTable));

/** The columns that may hold something of a person, by table: all tables of a store, and the uses of their columns. */
export const INVENTORY: Readonly<Record<string, Readonly<Record<string, ColumnUse>>>> = {
  ...Object.fromEntries(TABLES.map((table) => [getTableName(table), listUses(table)])),
  __drizzle_migrations: {},
};

/** Returns the columns with any of some uses, by table. */
export const columnsWith = (...wanted: readonly ColumnUse[]): [table: string, columns: string[]][] =>
  Object.entries(INVENTORY)
    .map(([table, uses]): [string, string[]] => [
      table,
      Object.keys(uses).filter((column) => wanted.includes(uses[column]!)),
    ])
    .filter(([, columns]) => columns.length > 0);

/** Full-text indexes. Triggers remove what they index; merged segments hold nothing else. */
export const FULL_TEXT_INDEXES = ['tweets_fts', 'users_fts'];
