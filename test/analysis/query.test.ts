import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openQuery, type SqlValue } from '#analysis/sql/sql-query.ts';
import { TrawlError, UsageError } from '#base/errors.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { tempDir, tempFile } from '../support/temp.ts';

function createStore(): string {
  const file = tempFile('trawl.db');
  const db = openDatabase(file);
  db.$client.exec(`insert into _settings (key, value) values ('a', 'one'), ('b', 'two')`);
  db.$client.close();
  return file;
}

function ask(db: string, sql: string): { columns: readonly string[]; rows: (readonly SqlValue[])[] } {
  using query = openQuery({ db, sql });
  return { columns: query.columns, rows: [...query.rows] };
}

function refusal(db: string, sql: string): TrawlError {
  try {
    ask(db, sql);
  } catch (error) {
    if (error instanceof TrawlError) return error;
  }
  throw new Error(`not refused: ${sql}`);
}

test('rows have their columns, and integers all digits', () => {
  expect(
    ask(createStore(), `select key, 9223372036854775807 as big, null as n, 1.5 as r from _settings where key = 'a';`),
  ).toEqual({
    columns: ['key', 'big', 'n', 'r'],
    rows: [['a', 9223372036854775807n, null, 1.5]],
  });
});

test('WITH and EXPLAIN are read-only statements', () => {
  const db = createStore();
  expect(ask(db, 'with x(a) as (select 1) select a from x').rows).toEqual([[1n]]);
  expect(ask(db, 'explain query plan select * from users').rows).not.toEqual([]);
});

test.each([
  `delete from _settings`,
  `insert into _settings values ('c', 'three') returning *`,
  `with x(a) as (select 'c') insert into _settings select a, a from x returning *`,
  `update _settings set value = 'x'`,
  `drop table _settings`,
  `create table t (a)`,
  `begin`,
  `vacuum`,
  `pragma query_only = off`,
  `pragma journal_mode = delete`,
  `reindex`,
])('"%s" is refused and changes nothing', (sql) => {
  const db = createStore();
  expect(refusal(db, sql)).toBeInstanceOf(UsageError);
  expect(refusal(db, sql).message).toBe('only read-only statements, such as select, are run');
  expect(ask(db, 'select * from _settings').rows).toEqual([
    ['a', 'one'],
    ['b', 'two'],
  ]);
});

test.each(['attach', 'vacuum into'])('%s creates no file', (word) => {
  const db = createStore();
  const other = join(tempDir(), 'other.db');
  expect(refusal(db, `${word} '${other}'${word === 'attach' ? ' as other' : ''}`)).toBeInstanceOf(UsageError);
  expect(existsSync(other)).toBe(false);
});

test('only one statement is allowed', () => {
  expect(refusal(createStore(), 'select 1; select 2').message).toBe('only one statement can be run at a time');
  expect(refusal(createStore(), ' -- nothing').message).toBe('the statement is empty');
});

test("an invalid statement is reported with SQLite's message and existing names", () => {
  const db = createStore();
  expect(refusal(db, 'selec').message).toBe('near "selec": syntax error');
  expect(refusal(db, 'select * from userz')).toMatchObject({
    message: 'no such table: userz',
    hint: 'Did you mean users?',
    command: { name: 'sql', args: '"select name from sqlite_schema"', result: 'lists all tables and views' },
  });
  expect(refusal(db, 'select * from nope')).toMatchObject({
    hint: undefined,
    command: { name: 'sql' },
  });
  expect(refusal(db, 'select nam from _settings s')).toMatchObject({
    message: 'no such column: nam',
    hint: 'Columns of _settings: key, value.',
  });
});

test('an error in the middle of the rows is reported the same way', () => {
  const sql = `select json_extract(value, '$') from (select '1' as value union all select '{')`;
  const error = refusal(createStore(), sql);
  expect(error.message).toBe('malformed JSON');
  expect(error).not.toBeInstanceOf(UsageError);
});

test('a missing database is reported and not created', () => {
  const db = tempFile('none.db');
  expect(refusal(db, 'select 1').message).toBe(`there is no database ${db}`);
  expect(existsSync(db)).toBe(false);
});

test('a file that is no database is refused', () => {
  const db = tempFile('text.db');
  writeFileSync(db, 'this is a text, and it is longer than a header of SQLite would be');
  expect(refusal(db, 'select 1 from users').message).toBe(`${db} is not a database of trawl`);
});

test('a query with unread rows can be closed', () => {
  using query = openQuery({ db: createStore(), sql: 'select key from _settings' });
  for (const row of query.rows) {
    expect(row).toEqual(['a']);
    break;
  }
});
