import { getTableColumns, getTableName, is } from 'drizzle-orm';
import { type SQLiteColumn, SQLiteTable } from 'drizzle-orm/sqlite-core';
import { expect, test } from 'vitest';
import { FULL_TEXT_INDEXES, INVENTORY } from '#store/erasure/inventory.ts';
import * as schema from '#store/schema/tables.ts';
import { noteOf } from '#store/schema/tables/columns.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { tempFile } from '../../support/temp.ts';

test('every text and every body has a note: what of a person it may hold', () => {
  const tables = Object.values<unknown>(schema).filter((each): each is SQLiteTable => is(each, SQLiteTable));
  const columns = tables.flatMap((table) => Object.values<SQLiteColumn>(getTableColumns(table)));
  const texts = columns.filter((column) => ['text', 'blob'].includes(column.getSQLType()));
  expect(texts.length).toBeGreaterThan(80);
  const bare = texts.filter((column) => noteOf(column) === undefined);
  expect(bare.map((column) => `${getTableName(column.table)}.${column.name}`)).toEqual([]);
});

test('the inventory has every table of a store', () => {
  using db = openDatabase(tempFile('new.db'));
  const named = (type: string): unknown[] =>
    db.$client
      .prepare(
        `select name from pragma_table_list
         where schema = 'main' and type = ? and name not like 'sqlite!_%' escape '!' order by name`,
      )
      .pluck()
      .all(type);
  expect(Object.keys(INVENTORY).toSorted()).toEqual(named('table'));
  expect(FULL_TEXT_INDEXES.toSorted()).toEqual(named('virtual'));
});
