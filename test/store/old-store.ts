import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { openConnection } from '../../src/store/sqlite/driver.ts';
import { TABLE_RENAMES } from '../../src/store/upgrade/renames.ts';
import { tempFile } from '../support/temp.ts';

/** The schema of the last version of trawl 0.1, a statement on each line. */
const TABLES = readFileSync(join(import.meta.dirname, 'tables-of-0.1.sql'), 'utf8')
  .trim()
  .split('\n');
export const LAST_OF_0_1 = 1_795_329_586_995;

/** A store of trawl 0.1 with some rows in every table. @param more SQL */
export function createOldStore(more = '', version = LAST_OF_0_1): string {
  const path = tempFile('store.db');
  const db = openConnection(path);
  db.pragma('foreign_keys = off');
  db.unsafeMode(true);
  db.transaction(() => {
    for (const statement of TABLES) db.exec(statement);
    db.prepare('insert into __drizzle_migrations (hash, created_at) values (?, ?)').run('old', version);
    for (const { from } of TABLE_RENAMES) fill(db, from);
    db.exec(`delete from tweets_behind; insert into tweets_behind values (1, 'in_reply_to_user_id', 5);
      insert into run_days values (20000, 1, 4, 2); insert into settings values ('store_id', 'me');
      insert into fields_by_day values ('search', 1738281600000, 'tweet.text', 0, 10, 9);
      insert into endpoint_facts values ('followers', 'followed', 7), ('search', 'ignored', 8);
      insert into longest_pages values ('search', 20, 9), ('following', 50, 10);
      insert into api_keys values (3, 'mine', 'hash of mine', 'trawl_mine', 10, 1000, 5, null), (4, 'old', 'h', 'p', 1, 1, 1, 9)`);
    db.exec(more);
  })();
  db.close();
  return path;
}

/** Inserts three rows whose values name their column and row. */
function fill(db: Database.Database, table: string): void {
  const columns = db.pragma(`table_info('${table}')`) as { name: string; type: string }[];
  const insert = db.prepare(`insert into ${table} values (${columns.map(() => '?').join(', ')})`);
  for (const row of [1, 2, 3])
    insert.run(
      columns.map(({ name, type }, i) => (/integer/i.test(type) ? (i === 0 ? row : row * 100 + i) : `${name} ${row}`)),
    );
}
