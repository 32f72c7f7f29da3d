import type Database from 'better-sqlite3';
import { chunks, type Design, medians, perPiece, table, threadCpuUs } from './measure.ts';
import {
  COLUMNS,
  digestOf,
  FOLLOWS,
  fullUpdate,
  groups,
  HISTORY,
  INSERT_SUMMARY as INSERT,
  oneByOne,
  openTables,
  pageStore,
  REST,
  SEEN,
  type StoreUser,
  type StoreUsers,
  upsertUser,
  USERS,
  USERS_FTS,
  USERS_REST_ID,
  USERS_SCREEN_NAME,
  usersNarrow,
  usersRemembered,
  values,
} from './tables.ts';
import { type Page, type User, userPages } from './workload.ts';

/**
 * How a user is stored: the first crawl, the same pages again when only the times differ, in their order and in another,
 * and with one user in fifty changed. Users alone, no edges.
 */

const PLAIN = [USERS, USERS_REST_ID, USERS_SCREEN_NAME, FOLLOWS, REST].join('\n');
const FULL = [PLAIN, HISTORY, USERS_FTS].join('\n');
/** Looks first, and then writes what differs: the row, its times, or nothing. */
function selectFirst(db: Database.Database, compare: 'here' | 'by SQLite'): StoreUser {
  const same = COLUMNS.split(', ')
    .map((c) => `${c} is ?`)
    .join(' and ');
  const selectAll = db
    .prepare<unknown[], unknown[]>(`select id, seen_at, summary_at, ${COLUMNS} from users where rest_id = ?`)
    .raw();
  const selectSame = db
    .prepare<unknown[], unknown[]>(`select id, seen_at, summary_at, ${same} from users where rest_id = ?`)
    .raw();
  const insert = db.prepare(INSERT);
  const times = db.prepare(
    'update users set seen_at = max(seen_at, ?), summary_at = max(coalesce(summary_at, 0), ?) where id = ?',
  );
  const update = fullUpdate(db);
  return (u, at) => {
    const shown = values(u);
    const row = compare === 'here' ? selectAll.get(u.restId) : selectSame.get(...shown, u.restId);
    if (!row) return Number(insert.run(u.restId, ...shown, at, at, at).lastInsertRowid);
    const id = row[0] as number;
    const unchanged = compare === 'here' ? shown.every((value, i) => value === row[i + 3]) : row[3] === 1;
    if (!unchanged) update(u, at);
    else if ((row[1] as number) < at || (row[2] as number) < at) times.run(at, at, id);
    return id;
  };
}

/** The times in a narrow table of their own. */
function besides(db: Database.Database): StoreUser {
  const same = COLUMNS.split(', ')
    .map((c) => `${c} is ?`)
    .join(' and ');
  const select = db.prepare<unknown[], unknown[]>(`select id, ${same} from users where rest_id = ?`).raw();
  const insert = db.prepare(INSERT);
  const insertSeen = db.prepare('insert into users_seen (user_id, seen_at, summary_at) values (?, ?, ?)');
  const times = db.prepare(
    'update users_seen set seen_at = max(seen_at, ?), summary_at = max(coalesce(summary_at, 0), ?) where user_id = ?',
  );
  const update = fullUpdate(db);
  return (u, at) => {
    const shown = values(u);
    const row = select.get(...shown, u.restId);
    if (!row) {
      const id = Number(insert.run(u.restId, ...shown, at, 0, 0).lastInsertRowid);
      insertSeen.run(id, at, at);
      return id;
    }
    const id = row[0] as number;
    if (row[1] !== 1) update(u, at);
    times.run(at, at, id);
    return id;
  };
}

/** What was read or written is remembered by its service's id, so that who is known and unchanged is not looked for. */
function remembered(db: Database.Database, narrow: boolean): StoreUser {
  const store = narrow ? besides(db) : selectFirst(db, 'by SQLite');
  const known = new Map<string, { id: number; user: User }>();
  const times = db.prepare(
    narrow
      ? 'update users_seen set seen_at = max(seen_at, ?), summary_at = max(coalesce(summary_at, 0), ?) where user_id = ?'
      : 'update users set seen_at = max(seen_at, ?), summary_at = max(coalesce(summary_at, 0), ?) where id = ?',
  );
  return (u, at) => {
    const entry = known.get(u.restId);
    if (entry && same(entry.user, u)) {
      times.run(at, at, entry.id);
      return entry.id;
    }
    const id = store(u, at);
    known.set(u.restId, { id, user: u });
    return id;
  };
}

const same = (a: User, b: User): boolean => {
  const other = values(b);
  return values(a).every((value, i) => value === other[i]);
};

/** Looks for all users of a page at once. */
function wholePage(db: Database.Database, batchTimes: boolean): StoreUsers {
  const select = db
    .prepare<unknown[], unknown[]>(
      `select rest_id, id, ${COLUMNS} from users where rest_id in (select value from json_each(?))`,
    )
    .raw();
  const insert = db.prepare(INSERT);
  const insertSeen = db.prepare('insert into users_seen (user_id, seen_at, summary_at) values (?, ?, ?)');
  const time = db.prepare(
    'update users_seen set seen_at = max(seen_at, ?), summary_at = max(coalesce(summary_at, 0), ?) where user_id = ?',
  );
  const insertAll = db.prepare(`insert into users_seen (user_id, seen_at, summary_at)
    select value, @at, @at from json_each(@ids) where true on conflict do update
    set seen_at = max(seen_at, excluded.seen_at), summary_at = max(coalesce(summary_at, 0), excluded.summary_at)`);
  const update = fullUpdate(db);
  return (users, at) => {
    const rows = new Map(
      select.all(JSON.stringify(users.map(({ restId }) => restId))).map((row) => [row[0] as string, row]),
    );
    const ids = users.map((u) => {
      const shown = values(u);
      const row = rows.get(u.restId);
      if (!row) {
        const id = Number(insert.run(u.restId, ...shown, at, 0, 0).lastInsertRowid);
        if (!batchTimes) insertSeen.run(id, at, at);
        return id;
      }
      const id = row[1] as number;
      if (!shown.every((value, i) => value === row[i + 2])) update(u, at);
      if (!batchTimes) time.run(at, at, id);
      return id;
    });
    if (batchTimes) insertAll.run({ at, ids: JSON.stringify(ids) });
    return ids;
  };
}

/**
 * What a summary showed is compared by a digest of it, which stands beside the times: neither the wide row nor its values
 * are touched. The digest is made by the thread that fetches.
 */
function byDigest(db: Database.Database, wholePages: boolean): StoreUsers {
  const one = db
    .prepare<unknown[], unknown[]>(
      'select u.id, s.digest from users u left join users_seen s on s.user_id = u.id where u.rest_id = ?',
    )
    .raw();
  const all = db
    .prepare<unknown[], unknown[]>(
      `select u.id, s.digest from json_each(?) j left join users u on u.rest_id = j.value
       left join users_seen s on s.user_id = u.id`,
    )
    .raw();
  const insert = db.prepare(INSERT);
  const insertSeen = db.prepare('insert into users_seen (user_id, seen_at, summary_at, digest) values (?, ?, ?, ?)');
  const times = db.prepare(`insert into users_seen (user_id, seen_at, summary_at)
    select value, @at, @at from json_each(@ids) where true on conflict do update
    set seen_at = max(seen_at, excluded.seen_at), summary_at = max(coalesce(summary_at, 0), excluded.summary_at)`);
  const setDigest = db.prepare(`insert into users_seen (seen_at, summary_at, digest, user_id) values (?, ?, ?, ?)
    on conflict do update set seen_at = max(seen_at, excluded.seen_at),
    summary_at = max(coalesce(summary_at, 0), excluded.summary_at), digest = excluded.digest`);
  const update = fullUpdate(db);
  const store = (u: User, row: unknown[] | undefined, at: number, known: number[]): number => {
    if (!row || row[0] === null) {
      const id = Number(insert.run(u.restId, ...values(u), at, 0, 0).lastInsertRowid);
      insertSeen.run(id, at, at, digestOf(u));
      return id;
    }
    const id = row[0] as number;
    if (row[1] !== digestOf(u)) {
      update(u, at);
      setDigest.run(at, at, digestOf(u), id);
      return id;
    }
    known.push(id);
    return id;
  };
  return (users, at) => {
    const known: number[] = [];
    const rows = wholePages ? all.all(JSON.stringify(users.map(({ restId }) => restId))) : undefined;
    const ids = users.map((u, i) => store(u, rows ? rows[i] : one.get(u.restId), at, known));
    if (known.length > 0) times.run({ at, ids: JSON.stringify(known) });
    return ids;
  };
}

const design = (name: string, ddl: string, storeUsers: (db: Database.Database) => StoreUsers): Design<Page[]> => ({
  name,
  open(file) {
    const db = openTables(file, ddl, { autocheckpoint: 8000, tempStore: 'memory' });
    const store = pageStore(db, storeUsers(db), () => undefined);
    const inGroup = groups(db);
    return { write: (pages) => inGroup(pages, store), close: () => db.close() };
  },
});

const each =
  (store: (db: Database.Database) => StoreUser) =>
  (db: Database.Database): StoreUsers =>
    oneByOne(store(db));
const NARROW = FULL + SEEN;
const designs = [
  design('upsert, returning', FULL, each(upsertUser)),
  design('… without the triggers of the index', [PLAIN, HISTORY].join('\n'), each(upsertUser)),
  design('… without history either', PLAIN, each(upsertUser)),
  design(
    'look first, compare here',
    FULL,
    each((db) => selectFirst(db, 'here')),
  ),
  design(
    'look first, compare in SQL',
    FULL,
    each((db) => selectFirst(db, 'by SQLite')),
  ),
  design('… times in a narrow table', NARROW, each(besides)),
  design('… by the page', NARROW, usersNarrow),
  design('look for a page, narrow', NARROW, (db) => wholePage(db, false)),
  design('… by the page', NARROW, (db) => wholePage(db, true)),
  design('by digest, narrow', NARROW, (db) => byDigest(db, false)),
  design('… look for a page', NARROW, (db) => byDigest(db, true)),
  design(
    'remember who was seen',
    FULL,
    each((db) => remembered(db, false)),
  ),
  design(
    '… narrow',
    NARROW,
    each((db) => remembered(db, true)),
  ),
  design('… by digest', NARROW, usersRemembered),
];

const DAY = 86_400_000;
const first = userPages(Number(process.argv[3] ?? 1024));
const again = first.map((page) => ({ ...page, at: page.at + DAY, users: page.users.map((user) => ({ ...user })) }));
// As if half of a list's followers had left and come back: another order, page by page.
const moved = again.map((page, i) => ({ ...again[(i * 389) % again.length]!, list: page.list, at: page.at + DAY }));
const changed = again.map((page) => ({
  ...page,
  at: page.at + 2 * DAY,
  users: page.users.map((user, i) =>
    i % 50 === 0 ? { ...user, followersCount: user.followersCount + page.list } : user,
  ),
}));

const hashed = [...first, ...again, ...moved, ...changed].flatMap(({ users }) => users);
const start = threadCpuUs();
hashed.forEach(digestOf);
process.stdout.write(`a digest: ${((threadCpuUs() - start) / hashed.length).toFixed(2)} us\n`);

const phases = [first, again, moved, changed].map((pages) => chunks(pages, 32));
const runs = await medians(designs, phases);
for (const key of ['threadUs', 'wallUs', 'walBytes'] as const) {
  const columns = phases.map((_, phase) => perPiece(runs, phase, key, first.length * 100));
  table(
    [`${key} per user`, 'first', 'x', 'again', 'x', 'other order', 'x', '2 % changed', 'x'],
    designs.map(({ name }, i) => [name, ...columns.flatMap((column) => column[i]!)]),
  );
}
