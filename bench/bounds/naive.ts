import { gunzipSync } from 'node:zlib';
import { openConnection } from '#store/sqlite/driver.ts';
import { measureRun, readArguments, report, type RunArguments } from '../child.ts';
import { readLists, warmUp } from './read-lists.ts';

/**
 * The naive store: one thread, a statement per row, a transaction per page, SQLite's defaults in WAL mode, no
 * prefetching. It keeps the body of every page as it arrived.
 */

interface Page {
  data: {
    followers: {
      timeline: { instructions: { entries: { content: { user: User } }[]; cursor?: { value: string } }[] };
    };
  };
}

interface User {
  rest_id: string;
  name: string;
  screen_name: string;
  profile_image_url: string;
  description: string;
  followers_count: number;
  following_count: number;
  verified: boolean;
}

const run = readArguments<RunArguments>();
const db = openConnection(run.db);
db.pragma('journal_mode = WAL');
db.exec(`
  create table users (
    id integer primary key, name text, screen_name text, profile_image_url text, description text,
    followers_count integer, following_count integer, verified integer, seen_at integer);
  create index users_screen_name on users (screen_name);
  create table follows (target integer, follower integer, seen_at integer, primary key (target, follower)) without rowid;
  create table checkpoints (target integer primary key, cursor text, pages integer);
  create table raw (id integer primary key, target integer, at integer, body blob);
`);
const upsertUser = db.prepare(`
  insert into users values (?, ?, ?, ?, ?, ?, ?, ?, ?)
  on conflict (id) do update set name = excluded.name, screen_name = excluded.screen_name,
    profile_image_url = excluded.profile_image_url, description = excluded.description,
    followers_count = excluded.followers_count, following_count = excluded.following_count,
    verified = excluded.verified, seen_at = excluded.seen_at`);
const upsertFollow = db.prepare(`
  insert into follows values (?, ?, ?) on conflict (target, follower) do update set seen_at = excluded.seen_at`);
const saveCheckpoint = db.prepare(`
  insert into checkpoints values (?, ?, 1)
  on conflict (target) do update set cursor = excluded.cursor, pages = pages + 1`);
const insertRaw = db.prepare('insert into raw (target, at, body) values (?, ?, ?)');

const store = db.transaction((target: string, body: Buffer) => {
  const { instructions } = (JSON.parse(gunzipSync(body).toString()) as Page).data.followers.timeline;
  const at = Date.now();
  for (const { entries, cursor } of instructions) {
    for (const { content } of entries) {
      const { user } = content;
      // Ids of 19 digits exceed a double; SQLite converts the text to integers.
      upsertUser.run(
        user.rest_id,
        user.name,
        user.screen_name,
        user.profile_image_url,
        user.description,
        user.followers_count,
        user.following_count,
        Number(user.verified),
        at,
      );
      upsertFollow.run(target, user.rest_id, at);
    }
    saveCheckpoint.run(target, cursor?.value ?? null);
  }
  insertRaw.run(target, at, body);
});

const count = (table: string): number => Number(db.prepare(`select count(*) from ${table}`).pluck().get());

await warmUp(run, (body, target) => store(target, body));
const countsBefore = { follows: count('follows'), users: count('users') };
const result = await measureRun(run.url, async () => {
  await readLists({ ...run, handle: (body, target) => store(target, body) });
});
const edges = count('follows') - countsBefore.follows;
const people = count('users') - countsBefore.users;
if (edges !== run.edges || people !== run.people) throw new Error(`${edges} edges and ${people} users were stored`);
db.close();
report(result);
