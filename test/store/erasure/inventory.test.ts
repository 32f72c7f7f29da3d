import { expect, test } from 'vitest';
import { FULL_TEXT_INDEXES, INVENTORY } from '../../../src/store/erasure/inventory.ts';
import { openDatabase } from '../../../src/store/sqlite/database.ts';
import { tempFile } from '../../support/temp.ts';

test('every column of every table is classified: what of a person it may hold', () => {
  using db = openDatabase(tempFile('new.db'));
  const columns = db.$client
    .prepare<[], { readonly name: string; readonly columnName: string }>(
      `select t.name, c.name as columnName from pragma_table_list t join pragma_table_info(t.name) c
       where t.schema = 'main' and t.type = 'table' and t.name not like 'sqlite!_%' escape '!'`,
    )
    .all();
  const stored = columns.map(({ name, columnName }) => `${name}.${columnName}`);
  const classified = Object.entries(INVENTORY).flatMap(([table, { plain, uses }]) =>
    [...plain, ...Object.keys(uses)].map((column) => `${table}.${column}`),
  );
  expect(classified.toSorted()).toEqual(stored.toSorted());
  expect(
    db.$client.prepare("select name from pragma_table_list where type = 'virtual' order by name").pluck().all(),
  ).toEqual(FULL_TEXT_INDEXES.toSorted());
});
