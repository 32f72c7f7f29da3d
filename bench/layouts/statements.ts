import { sql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/better-sqlite3';
import { users } from '../../src/store/schema.ts';
import { compile } from '../../src/store/statement.ts';
import { chunks, type Design, medians, perPiece, table } from './measure.ts';
import { groups, openTables, REST, FOLLOWS, FOLLOWS_REVERSE, USERS, USERS_REST_ID } from './tables.ts';
import { type User, userPages } from './workload.ts';

/**
 * How a statement is run: the same insert of users and the same read, by hand, through Drizzle, and compiled from
 * Drizzle. Only the way differs, so there is little in the tables that could hide it.
 */

type Rows = readonly User[];
type Make = (db: ReturnType<typeof openTables>) => (users: Rows) => void;

const NAMES = [
  'restId',
  'screenName',
  'name',
  'description',
  'profileImageUrl',
  'verified',
  'followersCount',
  'followingCount',
] as const;
const COLUMNS =
  'rest_id, screen_name, name, description, profile_image_url, verified, followers_count, following_count';
const ON_CONFLICT = 'on conflict (rest_id) do update set name = excluded.name returning id';
const SQL = `insert into users (${COLUMNS}, first_seen, seen_at) values (?, ?, ?, ?, ?, ?, ?, ?, 1, 1) ${ON_CONFLICT}`;
const list = (u: User) => [
  u.restId,
  u.screenName,
  u.name,
  u.description,
  u.profileImageUrl,
  u.verified,
  u.followersCount,
  u.followingCount,
];

const placeholders = Object.fromEntries(NAMES.map((name) => [name, sql`${sql.placeholder(name)}`]));
const query = (db: ReturnType<typeof openTables>) =>
  drizzle({ client: db })
    .insert(users)
    .values({ ...placeholders, firstSeen: sql`1`, changedAt: sql`1` } as never)
    .onConflictDoUpdate({ target: users.restId, set: { name: sql`excluded.name` } })
    .returning({ id: users.id });

const design = (name: string, make: Make): Design<Rows> => ({
  name,
  open(file) {
    // Times as the tables have them now.
    const ddl = [
      USERS.replace('seen_at integer not null', 'seen_at integer, changed_at integer'),
      USERS_REST_ID,
      FOLLOWS,
      FOLLOWS_REVERSE,
      REST,
    ];
    const db = openTables(file, ddl.join('\n'), { autocheckpoint: 16_000, tempStore: 'memory' });
    const store = make(db);
    const inGroup = groups(db);
    return { write: (rows) => inGroup([rows], store), close: () => db.close() };
  },
});

const designs = [
  design('by hand, by position, raw', (db) => {
    const statement = db.prepare(SQL).raw();
    return (rows) => {
      for (const u of rows)
        statement.get(
          u.restId,
          u.screenName,
          u.name,
          u.description,
          u.profileImageUrl,
          u.verified,
          u.followersCount,
          u.followingCount,
        );
    };
  }),
  design('… values in an array', (db) => {
    const statement = db.prepare(SQL).raw();
    return (rows) => {
      for (const u of rows) statement.get(list(u));
    };
  }),
  design('… gathered by name and spread', (db) => {
    const statement = db.prepare(SQL).raw();
    return (rows) => {
      for (const u of rows) {
        const bound = Array<unknown>(NAMES.length);
        for (let i = 0; i < NAMES.length; i++) bound[i] = u[NAMES[i]!] ?? null;
        statement.get(...bound);
      }
    };
  }),
  design('… row as an object', (db) => {
    const statement = db.prepare(SQL);
    return (rows) => {
      for (const u of rows) statement.get(list(u));
    };
  }),
  design('by hand, by name', (db) => {
    const named = NAMES.map((name) => `@${name}`).join(', ');
    const statement = db.prepare(SQL.replace('?, ?, ?, ?, ?, ?, ?, ?', named)).raw();
    return (rows) => {
      for (const u of rows) statement.get(u);
    };
  }),
  design('compiled from Drizzle (src/store/statement.ts)', (db) => {
    const client = drizzle({ client: db }) as never;
    const statement = compile(client, query(db));
    return (rows) => {
      for (const u of rows) statement.get(u as never);
    };
  }),
  design('Drizzle, prepared', (db) => {
    const statement = query(db).prepare();
    return (rows) => {
      for (const u of rows) statement.get(u as never);
    };
  }),
  design('a hundred rows of values', (db) => {
    const one = '(?, ?, ?, ?, ?, ?, ?, ?, 1, 1)';
    const statement = db
      .prepare(
        `insert into users (${COLUMNS}, first_seen, seen_at) values ${Array(100).fill(one).join(', ')} ${ON_CONFLICT}`,
      )
      .raw();
    return (rows) => {
      for (const some of chunks(rows, 100)) statement.all(some.flatMap(list));
    };
  }),
  design('json_each over the rows', (db) => {
    const fields = NAMES.map((_, i) => `value ->> ${i}`).join(', ');
    const statement = db
      .prepare(
        `insert into users (${COLUMNS}, first_seen, seen_at) select ${fields}, 1, 1 from json_each(?) where true ${ON_CONFLICT}`,
      )
      .raw();
    return (rows) => {
      for (const some of chunks(rows, 100)) statement.all(JSON.stringify(some.map(list)));
    };
  }),
];

const pages = userPages(1024);
const work = chunks(pages, 32).map((some) => some.flatMap(({ users: people }) => [...people]));
const runs = await medians(designs, [work, work]);
const columns = [0, 1].map((phase) => perPiece(runs, phase, 'threadUs', 102_400));
table(
  ['us per user', 'first', 'x', 'again', 'x'],
  designs.map(({ name }, i) => [name, ...columns.flatMap((column) => column[i]!)]),
);
