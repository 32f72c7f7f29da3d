import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { openDatabase } from '#store/sqlite/database.ts';
import { openConnection } from '#store/sqlite/driver.ts';
import { tempFile } from '../support/temp.ts';

it('a new store is readable by its owner only', () => {
  const path = tempFile('store.db');
  openDatabase(path).$client.close();
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

it("another program's database is refused and not changed", () => {
  const path = tempFile('other.db');
  const other = openConnection(path);
  other.exec('create table bookmarks (url text)');
  other.close();
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow(/^cannot open the database .*: it belongs to another program$/);
  expect(readFileSync(path).equals(before)).toBe(true);
  expect(existsSync(`${path}-wal`)).toBe(false);
});

it('a file that is no database is refused and not changed', () => {
  const path = tempFile('notes.txt');
  writeFileSync(path, 'not a database at all, but a text that is longer than the header of one would be. '.repeat(9));
  const before = readFileSync(path);
  expect(() => openDatabase(path)).toThrow('is not a database of trawl');
  expect(readFileSync(path).equals(before)).toBe(true);
});
