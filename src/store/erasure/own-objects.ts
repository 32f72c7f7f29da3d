import type Database from 'better-sqlite3';
import { FULL_TEXT_INDEXES, INVENTORY } from './inventory.ts';

/** What users added to a store. An erasure does not change it. */
export interface OwnObjects {
  readonly tables: readonly string[];
  /** Views, triggers and indexes whose statement names the accounts. */
  readonly naming: readonly string[];
}

const isShadowTable = (name: string): boolean => FULL_TEXT_INDEXES.some((index) => name.startsWith(`${index}_`));

/** Lists the tables of users, and their objects that name the selected accounts. */
export function findOwnObjects(client: Database.Database): OwnObjects {
  const tables = client
    .prepare<[], string>(
      "select name from sqlite_schema where type = 'table' and name not like 'sqlite!_%' escape '!' order by name",
    )
    .pluck()
    .all()
    .filter((name) => !(name in INVENTORY) && !FULL_TEXT_INDEXES.includes(name) && !isShadowTable(name));
  const naming = client
    .prepare<[], string>("select name from sqlite_schema where type <> 'table' and is_named_in(sql) order by name")
    .pluck()
    .all();
  return { tables, naming };
}
