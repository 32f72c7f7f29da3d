import type Database from 'better-sqlite3';
import { chunks, type Design, medians, perPiece, table } from './measure.ts';
import { FOLLOWS, FOLLOWS_ARRIVAL, FOLLOWS_REVERSE, groups, openTables, UPSERT_FOLLOW } from './tables.ts';
import { type EdgePage, edgePages } from './workload.ts';

/** How an edge is stored: the first crawl, the same pages again, and again with a tenth of the edges new. */

type StorePage = (page: EdgePage) => void;

const TOUCH = `update follows set last_seen = max(last_seen, ?), first_seen = min(first_seen, ?),
  ended = case when ? >= last_seen then null else ended end where followee_id = ? and follower_id = ?`;
const INSERT = 'insert into follows (followee_id, follower_id, first_seen, last_seen) values (?, ?, ?, ?)';

const each =
  (store: (followee: number, follower: number, at: number) => void): StorePage =>
  ({ target, followers, at }) => {
    for (const follower of followers) store(target, follower, at);
  };

function upsert(db: Database.Database): StorePage {
  const statement = db.prepare(UPSERT_FOLLOW).raw();
  return each((followee, follower, at) => statement.get(followee, follower, at, at));
}

function lookFirst(db: Database.Database): StorePage {
  const select = db
    .prepare<unknown[], number>('select last_seen from follows where followee_id = ? and follower_id = ?')
    .pluck();
  const [insert, touch] = [db.prepare(INSERT), db.prepare(TOUCH)];
  return each((followee, follower, at) => {
    const seen = select.get(followee, follower);
    if (seen === undefined) insert.run(followee, follower, at, at);
    else if (seen < at) touch.run(at, at, at, followee, follower);
  });
}

function insertFirst(db: Database.Database): StorePage {
  const insert = db.prepare(`${INSERT} on conflict do nothing`);
  const touch = db.prepare(TOUCH);
  return each((followee, follower, at) => {
    if (insert.run(followee, follower, at, at).changes === 0) touch.run(at, at, at, followee, follower);
  });
}

function touchFirst(db: Database.Database): StorePage {
  const [insert, touch] = [db.prepare(INSERT), db.prepare(TOUCH)];
  return each((followee, follower, at) => {
    if (touch.run(at, at, at, followee, follower).changes === 0) insert.run(followee, follower, at, at);
  });
}

/** In the order of the key, so that neighbours are found together. */
const sorted =
  (store: (db: Database.Database) => StorePage) =>
  (db: Database.Database): StorePage => {
    const storePage = store(db);
    return (page) => storePage({ ...page, followers: page.followers.toSorted((a, b) => a - b) });
  };

/** One statement for what a page has in common with the store, and an insert for each that it does not. */
function wholePage(db: Database.Database): StorePage {
  const touch = db
    .prepare<unknown[], number>(`update follows set last_seen = max(last_seen, @at),
    first_seen = min(first_seen, @at), ended = case when @at >= last_seen then null else ended end
    where followee_id = @target and follower_id in (select value from json_each(@followers)) returning follower_id`)
    .pluck();
  const insert = db.prepare(INSERT);
  return ({ target, followers, at }) => {
    const known = new Set(touch.all({ target, at, followers: JSON.stringify(followers) }));
    for (const follower of followers) if (!known.has(follower)) insert.run(target, follower, at, at);
  };
}

/** One statement that inserts the new edges of a page, and so counts them, and one for the others if there are any. */
function wholeInsert(db: Database.Database): StorePage {
  const insert = db.prepare(`insert into follows (followee_id, follower_id, first_seen, last_seen)
    select @target, value, @at, @at from json_each(@followers) where true on conflict do nothing`);
  const touch = db.prepare(`update follows set last_seen = max(last_seen, @at), first_seen = min(first_seen, @at),
    ended = case when @at >= last_seen then null else ended end
    where followee_id = @target and follower_id in (select value from json_each(@followers))
    and (last_seen < @at or first_seen > @at or ended is not null)`);
  return ({ target, followers, at }) => {
    const bound = { target, at, followers: JSON.stringify(followers) };
    if (insert.run(bound).changes < followers.length) touch.run(bound);
  };
}

/** The same the other way about. */
function wholeTouch(db: Database.Database): StorePage {
  const touch = db.prepare(`update follows set last_seen = max(last_seen, @at), first_seen = min(first_seen, @at),
    ended = case when @at >= last_seen then null else ended end
    where followee_id = @target and follower_id in (select value from json_each(@followers))`);
  const insert = db.prepare(`insert into follows (followee_id, follower_id, first_seen, last_seen)
    select @target, value, @at, @at from json_each(@followers) where true on conflict do nothing`);
  return ({ target, followers, at }) => {
    const bound = { target, at, followers: JSON.stringify(followers) };
    if (touch.run(bound).changes < followers.length) insert.run(bound);
  };
}

/** New ones are counted by the keys that they took. */
function wholeCounted(db: Database.Database): StorePage {
  const store = wholeUpsert(db);
  const last = db.prepare<[], number>('select max(id) from follows').pluck();
  let added = 0;
  return (page) => {
    const before = last.get() ?? 0;
    store(page);
    added += (last.get() ?? 0) - before;
  };
}

/** One statement for all of a page. */
function wholeUpsert(db: Database.Database): StorePage {
  const statement = db.prepare(`insert into follows (followee_id, follower_id, first_seen, last_seen)
    select @target, value, @at, @at from json_each(@followers) where true on conflict do update set last_seen = max(last_seen, excluded.last_seen),
    first_seen = min(first_seen, excluded.first_seen),
    ended = case when excluded.last_seen >= last_seen then null else ended end`);
  return ({ target, followers, at }) => statement.run({ target, at, followers: JSON.stringify(followers) });
}

const design = (
  name: string,
  store: (db: Database.Database) => StorePage,
  ddl = FOLLOWS + FOLLOWS_REVERSE,
): Design<EdgePage[]> => ({
  name,
  open(file) {
    const db = openTables(file, ddl, { tempStore: 'memory', autocheckpoint: 16_000 });
    const storePage = store(db);
    const inGroup = groups(db);
    return {
      write: (pages) => inGroup(pages, storePage),
      ...(ddl === FOLLOWS && { finish: () => void db.exec(FOLLOWS_REVERSE) }),
      close: () => db.close(),
    };
  },
});

/** In order of arrival: what a page shows stands together. */
const HEAP = `create table follows (id integer primary key not null, followee_id integer not null, follower_id integer not null,
  first_seen integer not null, last_seen integer not null, ended integer);`;
const HEAP_BOTH = `${HEAP} create unique index follows_edge on follows (followee_id, follower_id); ${FOLLOWS_REVERSE}`;
const SWAPPED = `${FOLLOWS.replace('(followee_id, follower_id)', '(follower_id, followee_id)')}
  create index follows_followee on follows (followee_id, follower_id);`;

const designs = [
  design('upsert, returning', upsert),
  design('look first', lookFirst),
  design('insert, then update', insertFirst),
  design('update, then insert', touchFirst),
  design('update, then insert, sorted', sorted(touchFirst)),
  design('a page: update, then insert one by one', wholePage),
  design('a page: insert, then update', wholeInsert),
  design('a page: update, then insert', wholeTouch),
  design('a page: upsert', wholeUpsert),
  design('… clustered by follower', wholeUpsert, SWAPPED),
  design('… in order of arrival, unique both ways', wholeUpsert, HEAP_BOTH),
  design('… in order of arrival, unique by follower', wholeUpsert, FOLLOWS_ARRIVAL),
  design('… new ones counted', wholeCounted, FOLLOWS_ARRIVAL),
  design('… row by row', touchFirst, FOLLOWS_ARRIVAL),
  design('a page: upsert, reverse index at the end', wholeUpsert, FOLLOWS),
];

const DAY = 86_400_000;
const first: EdgePage[] = [];
for (const page of edgePages()) if (first.push(page) === Number(process.argv[3] ?? 2048)) break;
const again = first.map((page) => ({ ...page, at: page.at + DAY }));
const grown = again.map((page) => ({
  ...page,
  at: page.at + DAY,
  followers: page.followers.map((follower, i) => (i % 10 === 0 ? 1_000_000 + follower : follower)),
}));

const phases = [first, again, grown].map((pages) => chunks(pages, 32));
const runs = await medians(designs, phases);
for (const key of ['threadUs', 'wallUs', 'walBytes'] as const) {
  const columns = phases.map((_, phase) => perPiece(runs, phase, key, first.length * 100));
  table(
    [`${key} per edge`, 'first', 'x', 'again', 'x', 'tenth new', 'x', 'at the end'],
    designs.map(({ name }, i) => [
      name,
      ...columns.flatMap((column) => column[i]!),
      (runs[i]!.at(-1)![key] / first.length / 100).toFixed(2),
    ]),
  );
}
