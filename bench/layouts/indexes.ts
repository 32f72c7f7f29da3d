import type Database from 'better-sqlite3';
import { chunks, type Design, medians, perPiece, table } from './measure.ts';
import {
  COLUMNS,
  FOLLOWS_ARRIVAL,
  followsByPage,
  groups,
  HISTORY,
  INSERT_SUMMARY,
  openTables,
  pageStore,
  REST,
  SEEN,
  type StoreUsers,
  USERS,
  USERS_FTS,
  USERS_REST_ID,
  USERS_SCREEN_NAME,
  usersNarrow,
  values,
} from './tables.ts';
import { type Page, userPages } from './workload.ts';

/** What each index costs beside the rest: whole pages, stored as was decided, but for what the name says. */

type Make = (db: Database.Database) => StoreUsers;

/** Finds users by another key than the text of their id. */
const usersBy =
  (where: string, key: (restId: string) => unknown, note?: string): Make =>
  (db) => {
    const same = COLUMNS.split(', ')
      .map((c) => `${c} is ?`)
      .join(' and ');
    const select = db.prepare<unknown[], unknown[]>(`select id, ${same} from users where ${where}`).raw();
    const insert = db.prepare(INSERT_SUMMARY);
    const noted = note === undefined ? undefined : db.prepare(note);
    const times = db.prepare(`insert into users_seen (user_id, seen_at, summary_at)
      select value, @at, @at from json_each(@ids) where true on conflict do update
      set seen_at = max(seen_at, excluded.seen_at), summary_at = max(coalesce(summary_at, 0), excluded.summary_at)`);
    return (users, at) => {
      const ids = users.map((u) => {
        const shown = values(u);
        const row = select.get(...shown, key(u.restId));
        if (row) return row[0] as number;
        const id = Number(insert.run(u.restId, ...shown, at, 0, 0).lastInsertRowid);
        noted?.run(key(u.restId), id);
        return id;
      });
      times.run({ at, ids: JSON.stringify(ids) });
      return ids;
    };
  };

const design = (name: string, ddl: readonly string[], users: Make = usersNarrow, edges = true): Design<Page[]> => ({
  name,
  open(file) {
    const db = openTables(file, ddl.join('\n'), { tempStore: 'memory', autocheckpoint: 16_000 });
    const storeUsers = users(db);
    const storeFollows = edges ? followsByPage(db) : () => undefined;
    const store = pageStore(db, storeUsers, storeFollows, (target, at) => storeUsers([target], at)[0]!);
    const inGroup = groups(db);
    return { write: (pages) => inGroup(pages, store), close: () => db.close() };
  },
});

const USER_TABLES = [USERS, HISTORY, USERS_FTS, SEEN];
const EDGES = [FOLLOWS_ARRIVAL];
const KEYS = [USERS_REST_ID, USERS_SCREEN_NAME];
const BY_INTEGER = 'create unique index users_rest_id on users (cast(rest_id as integer));';
const KEY_TABLE = 'create table user_keys (rest_id integer primary key, user_id integer not null);';
const byTable = 'id = (select user_id from user_keys where rest_id = ?)';
const NOTE = 'insert into user_keys (rest_id, user_id) values (?, ?)';
const byInteger = 'cast(rest_id as integer) = ?';
// The expression is an integer, and so must be what it is compared with: an id beyond 2^53 is no number here.
const integer = (restId: string): bigint => BigInt(restId);

const designs = [
  design('all', [...USER_TABLES, ...KEYS, ...EDGES, REST]),
  design('no index of handles', [...USER_TABLES, USERS_REST_ID, ...EDGES, REST]),
  design('no index of followees', [...USER_TABLES, ...KEYS, FOLLOWS_ARRIVAL.replace(/create index [^;]*;/, ''), REST]),
  design('no edges', [...USER_TABLES, ...KEYS, ...EDGES, REST], usersNarrow, false),
  design(
    'ids by an index over integers',
    [...USER_TABLES, BY_INTEGER, USERS_SCREEN_NAME, ...EDGES, REST],
    usersBy(byInteger, integer),
  ),
  design(
    'ids by a table over integers',
    [...USER_TABLES, KEY_TABLE, USERS_SCREEN_NAME, ...EDGES, REST],
    usersBy(byTable, integer, NOTE),
  ),
];

const pages = userPages(2048);
const again = pages.map((page) => ({ ...page, at: page.at + 86_400_000 }));
const runs = await medians(designs, [chunks(pages, 32), chunks(again, 32)]);
for (const [phase, title] of ['first crawl', 'again'].entries()) {
  const columns = (['threadUs', 'wallUs', 'walBytes'] as const).map((key) => perPiece(runs, phase, key, 204_800));
  table(
    [title, 'us per user', 'x', 'wall us', 'x', 'WAL bytes', 'x'],
    designs.map(({ name }, i) => [name, ...columns.flatMap((column) => column[i]!)]),
  );
}
