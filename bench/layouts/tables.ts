import Database from 'better-sqlite3';
import type { Page, User } from './workload.ts';

/** The tables of the hot path as they stood when the designs were compared, and the upserts of that time. */

export const USERS = `create table users (id integer primary key not null, rest_id text not null, screen_name text,
  name text, description text, location text, url text, type text, profile_image_url text, cover_image_url text,
  verified integer, is_blue_verified integer, can_dm integer, has_custom_timelines integer, is_translator integer,
  followers_count integer, following_count integer, favourites_count integer, media_count integer,
  statuses_count integer, created_at integer, first_seen integer not null, seen_at integer not null,
  summary_at integer, profile_at integer);`;
export const USERS_REST_ID = 'create unique index users_rest_id_unique on users (rest_id);';
export const USERS_SCREEN_NAME = 'create index users_screen_name on users (screen_name collate nocase);';

const KEPT = ['screen_name', 'name', 'description', 'followers_count', 'following_count', 'statuses_count'];
export const HISTORY = `create table user_history (id integer primary key not null, user_id integer not null,
  last_seen integer not null, changed_at integer not null, ${KEPT.join(', ')});
  create index user_history_user on user_history (user_id, changed_at);
  create trigger user_history_keep after update of ${KEPT.join(', ')} on users
  when ${KEPT.map((c) => `(old.${c} is not null and old.${c} is not new.${c})`).join(' or ')}
  begin insert into user_history (user_id, last_seen, changed_at, ${KEPT.join(', ')})
  values (old.id, old.seen_at, new.seen_at, ${KEPT.map((c) => `case when old.${c} is not new.${c} then old.${c} end`).join(', ')});
  end;`;

/** The full-text index of users, which is caught up when a crawl is handed back: only its other triggers meet a page. */
export const USERS_FTS = `create virtual table users_fts using fts5(screen_name, name, description, content='users',
  content_rowid='id', tokenize='unicode61 remove_diacritics 2');
  create trigger users_fts_update after update of screen_name, name, description on users
  when (old.screen_name is not new.screen_name or old.name is not new.name or old.description is not new.description)
    and old.id <= (select max(id) from users_fts_docsize)
  begin
    insert into users_fts (users_fts, rowid, screen_name, name, description)
    values ('delete', old.id, old.screen_name, old.name, old.description);
    insert into users_fts (rowid, screen_name, name, description)
    values (new.id, new.screen_name, new.name, new.description);
  end;`;

export const FOLLOWS = `create table follows (followee_id integer not null, follower_id integer not null,
  first_seen integer not null, last_seen integer not null, ended integer, primary key (followee_id, follower_id))
  without rowid;`;
export const FOLLOWS_REVERSE = 'create index follows_follower on follows (follower_id, followee_id);';

/** Edges as was decided: in order of arrival, so that what a page shows stands together. */
export const FOLLOWS_ARRIVAL = `create table follows (id integer primary key not null, followee_id integer not null,
  follower_id integer not null, first_seen integer not null, last_seen integer not null, ended integer);
  create unique index follows_follower on follows (follower_id, followee_id);
  create index follows_followee on follows (followee_id);`;

export const REST = `create table requests (id integer primary key not null, crawl_id integer not null,
  endpoint text not null, at integer not null, status integer, ms integer not null, bytes integer not null, error text);
  create index requests_crawl on requests (crawl_id);
  create table crawls (id integer primary key not null, cursor text, pages integer not null, items integer not null,
  updated_at integer not null);`;

export const ALL = [USERS, USERS_REST_ID, USERS_SCREEN_NAME, HISTORY, USERS_FTS, FOLLOWS, FOLLOWS_REVERSE, REST].join(
  '\n',
);

const NAMES = ['screen_name', 'name'];
const SUMMARY = ['description', 'profile_image_url', 'verified', 'followers_count', 'following_count'];
const newest = (c: string, seen: string): string =>
  `${c} = case when excluded.${seen} >= coalesce(${seen}, 0) then coalesce(excluded.${c}, ${c}) else coalesce(${c}, excluded.${c}) end`;

/** The upsert of a summary, as \`rest_id\`, names, the summary's columns, and the time four times over. */
export const UPSERT_SUMMARY = `insert into users (rest_id, ${[...NAMES, ...SUMMARY].join(', ')}, first_seen, seen_at, summary_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (rest_id) do update set
  ${[...NAMES.map((c) => newest(c, 'seen_at')), ...SUMMARY.map((c) => newest(c, 'summary_at'))].join(', ')},
  first_seen = min(first_seen, excluded.first_seen), seen_at = max(coalesce(seen_at, 0), excluded.seen_at),
  summary_at = max(coalesce(summary_at, 0), excluded.summary_at) returning id, first_seen`;
export const UPSERT_REFERENCE = `insert into users (rest_id, screen_name, name, profile_image_url, first_seen, seen_at)
  values (?, ?, ?, ?, ?, ?) on conflict do update set ${NAMES.map((c) => newest(c, 'seen_at')).join(', ')},
  profile_image_url = coalesce(profile_image_url, excluded.profile_image_url),
  first_seen = min(first_seen, excluded.first_seen), seen_at = max(coalesce(seen_at, 0), excluded.seen_at)
  returning id, first_seen`;
export const UPSERT_FOLLOW = `insert into follows (followee_id, follower_id, first_seen, last_seen) values (?, ?, ?, ?)
  on conflict (followee_id, follower_id) do update set first_seen = min(first_seen, excluded.first_seen),
  last_seen = max(coalesce(last_seen, 0), excluded.last_seen),
  ended = case when excluded.last_seen >= last_seen then null else ended end returning first_seen`;

/** The times of users apart from the wide row, as was decided. */
export const SEEN = `create table users_seen (user_id integer primary key not null, seen_at integer not null,
  summary_at integer, profile_at integer, digest integer);`;

export const UPSERT_FOLLOWS = `insert into follows (followee_id, follower_id, first_seen, last_seen)
  select @target, value, @at, @at from json_each(@followers) where true on conflict (follower_id, followee_id) do update
  set last_seen = max(last_seen, excluded.last_seen), first_seen = min(first_seen, excluded.first_seen),
  ended = case when excluded.last_seen >= last_seen then null else ended end`;

/** All as was decided. */
export const DECIDED = [USERS, USERS_REST_ID, USERS_SCREEN_NAME, HISTORY, USERS_FTS, FOLLOWS_ARRIVAL, REST, SEEN].join(
  '\n',
);

export interface Pragmas {
  readonly cacheKb?: number | undefined;
  readonly pageSize?: number | undefined;
  readonly autocheckpoint?: number | undefined;
  readonly mmapMb?: number | undefined;
  readonly tempStore?: 'default' | 'memory' | undefined;
}

export const DECIDED_PRAGMAS: Pragmas = { cacheKb: 32_768, autocheckpoint: 16_000, tempStore: 'memory' };

export function openTables(file: string, ddl: string, pragmas: Pragmas = {}): Database.Database {
  const db = new Database(file);
  db.pragma(`page_size = ${pragmas.pageSize ?? 4096}`);
  db.pragma('journal_mode = WAL');
  db.pragma('synchronous = NORMAL');
  db.pragma('trusted_schema = OFF');
  db.pragma(`cache_size = -${pragmas.cacheKb ?? 65536}`);
  db.pragma(`temp_store = ${pragmas.tempStore ?? 'default'}`);
  if (pragmas.mmapMb !== undefined) db.pragma(`mmap_size = ${pragmas.mmapMb * 1048576}`);
  if (pragmas.autocheckpoint !== undefined) db.pragma(`wal_autocheckpoint = ${pragmas.autocheckpoint}`);
  db.exec(ddl);
  return db;
}

/** Runs a group of pages in one transaction. */
export function groups(db: Database.Database): <T>(pages: readonly T[], store: (page: T) => void) => void {
  const [begin, commit] = [db.prepare('begin immediate'), db.prepare('commit')];
  return (pages, store) => {
    begin.run();
    for (const page of pages) store(page);
    commit.run();
  };
}

/** Stores users and gives their keys, and edges to one of them: what the designs differ in. */
export type StoreUser = (user: User, at: number) => number;
export type StoreUsers = (users: readonly User[], at: number) => number[];
export type StoreFollows = (followee: number, followers: readonly number[], at: number) => void;

export const oneByOne =
  (store: StoreUser): StoreUsers =>
  (users, at) =>
    users.map((user) => store(user, at));

export function upsertUser(db: Database.Database, sql = UPSERT_SUMMARY): StoreUser {
  const statement = db.prepare<unknown[], [number, number]>(sql).raw();
  return (u, at) =>
    statement.get(
      u.restId,
      u.screenName,
      u.name,
      u.description,
      u.profileImageUrl,
      u.verified,
      u.followersCount,
      u.followingCount,
      at,
      at,
      at,
    )![0];
}

export function upsertReference(db: Database.Database): StoreUser {
  const statement = db.prepare<unknown[], [number, number]>(UPSERT_REFERENCE).raw();
  return (u, at) => statement.get(u.restId, u.screenName, u.name, u.profileImageUrl, at, at)![0];
}

export function upsertFollows(db: Database.Database): StoreFollows {
  const statement = db.prepare<unknown[], [number]>(UPSERT_FOLLOW).raw();
  return (followee, followers, at) => {
    for (const follower of followers) statement.get(followee, follower, at, at);
  };
}

export const COLUMNS = [
  ...NAMES,
  'description',
  'profile_image_url',
  'verified',
  'followers_count',
  'following_count',
].join(', ');
export const values = (u: User): [string, string, string, string, number, number, number] => [
  u.screenName,
  u.name,
  u.description,
  u.profileImageUrl,
  u.verified,
  u.followersCount,
  u.followingCount,
];
export const INSERT_SUMMARY = `insert into users (rest_id, ${COLUMNS}, first_seen, seen_at, summary_at)
  values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;

/** The rules of the merge in an update of the row by its service's id. */
export function fullUpdate(db: Database.Database): (u: User, at: number) => unknown {
  const rules = UPSERT_SUMMARY.slice(
    UPSERT_SUMMARY.indexOf('screen_name = case'),
    UPSERT_SUMMARY.indexOf(' returning'),
  );
  const statement = db.prepare(
    `update users set ${rules.replaceAll(/excluded\.(\w+)/g, ':$1')} where rest_id = :rest_id`,
  );
  return (u, at) =>
    statement.run({
      rest_id: u.restId,
      screen_name: u.screenName,
      name: u.name,
      description: u.description,
      profile_image_url: u.profileImageUrl,
      verified: u.verified,
      followers_count: u.followersCount,
      following_count: u.followingCount,
      first_seen: at,
      seen_at: at,
      summary_at: at,
    });
}

/** Users one by one, and then their times by the page. */
export function usersNarrow(db: Database.Database): StoreUsers {
  const same = COLUMNS.split(', ')
    .map((c) => `${c} is ?`)
    .join(' and ');
  const select = db.prepare<unknown[], unknown[]>(`select id, ${same} from users where rest_id = ?`).raw();
  const insert = db.prepare(INSERT_SUMMARY);
  const times = db.prepare(`insert into users_seen (user_id, seen_at, summary_at)
    select value, @at, @at from json_each(@ids) where true on conflict do update
    set seen_at = max(seen_at, excluded.seen_at), summary_at = max(coalesce(summary_at, 0), excluded.summary_at)`);
  const update = fullUpdate(db);
  return (users, at) => {
    const ids = users.map((u) => {
      const shown = values(u);
      const row = select.get(...shown, u.restId);
      if (!row) return Number(insert.run(u.restId, ...shown, at, 0, 0).lastInsertRowid);
      if (row[1] !== 1) update(u, at);
      return row[0] as number;
    });
    times.run({ at, ids: JSON.stringify(ids) });
    return ids;
  };
}

/** What was stored is remembered by its digest: 100 bytes a user, for as long as nobody else writes to the file. */
export function usersRemembered(db: Database.Database): StoreUsers {
  const same = COLUMNS.split(', ')
    .map((c) => `${c} is ?`)
    .join(' and ');
  const select = db.prepare<unknown[], unknown[]>(`select id, ${same} from users where rest_id = ?`).raw();
  const insert = db.prepare(INSERT_SUMMARY);
  const times = db.prepare(`insert into users_seen (user_id, seen_at, summary_at)
    select value, @at, @at from json_each(@ids) where true on conflict do update
    set seen_at = max(seen_at, excluded.seen_at), summary_at = max(coalesce(summary_at, 0), excluded.summary_at)`);
  const update = fullUpdate(db);
  const version = db.prepare<[], number>('pragma data_version').pluck();
  const ids = new Map<string, number>();
  const shownAs = new Map<number, number>();
  let seen = version.get();
  const find = (u: User, at: number): number => {
    const shown = values(u);
    const row = select.get(...shown, u.restId);
    if (!row) return Number(insert.run(u.restId, ...shown, at, 0, 0).lastInsertRowid);
    if (row[1] !== 1) update(u, at);
    return row[0] as number;
  };
  return (users, at) => {
    const now = version.get();
    if (now !== seen) {
      ids.clear();
      shownAs.clear();
      seen = now;
    }
    const keys = users.map((u) => {
      const digest = digestOf(u);
      const known = ids.get(u.restId);
      if (known !== undefined && shownAs.get(known) === digest) return known;
      const id = find(u, at);
      ids.set(u.restId, id);
      shownAs.set(id, digest);
      return id;
    });
    times.run({ at, ids: JSON.stringify(keys) });
    return keys;
  };
}

const digests = new WeakMap<User, number>();
/** It comes with the row: its cost is not the writer's. */
export function digestOf(user: User): number {
  let digest = digests.get(user);
  if (digest === undefined) digests.set(user, (digest = hash(values(user).join('\n'))));
  return digest;
}

/** 53 bits: cyrb53. */
function hash(text: string): number {
  let [a, b] = [0xdeadbeef, 0x41c6ce57];
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    a = Math.imul(a ^ unit, 2654435761);
    b = Math.imul(b ^ unit, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return 4294967296 * (2097151 & b) + (a >>> 0);
}

/** The edges of a page in one statement. */
export function followsByPage(db: Database.Database): StoreFollows {
  const statement = db.prepare(UPSERT_FOLLOWS);
  return (target, followers, at) => void statement.run({ target, at, followers: JSON.stringify(followers) });
}

export const decidedStore = (db: Database.Database): ((page: Page) => void) =>
  pageStore(db, usersNarrow(db), followsByPage(db));

/** Stores everything of a page but its body. */
export function pageStore(
  db: Database.Database,
  storeUsers: StoreUsers = oneByOne(upsertUser(db)),
  storeFollows: StoreFollows = upsertFollows(db),
  storeTarget: StoreUser = upsertReference(db),
): (page: Page) => void {
  const request = db.prepare(
    'insert into requests (crawl_id, endpoint, at, status, ms, bytes) values (?, ?, ?, ?, ?, ?)',
  );
  const checkpoint = db.prepare(`insert into crawls (id, cursor, pages, items, updated_at) values (?, ?, 1, ?, ?)
    on conflict (id) do update set cursor = excluded.cursor, pages = pages + 1, items = items + excluded.items,
    updated_at = excluded.updated_at`);
  return (page) => {
    const { at } = page;
    request.run(page.list + 1, 'user_followers', at, 200, 120, 44_000);
    const target = storeTarget(page.target, at);
    storeFollows(target, storeUsers(page.users, at), at);
    checkpoint.run(page.list + 1, `cursor-${at}`, page.users.length, at);
  };
}
