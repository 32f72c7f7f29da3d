import { readFileSync } from 'node:fs';
import { deflateSync } from 'node:zlib';
import Database from 'better-sqlite3';

/** The store of the peers of Node: better-sqlite3, prepared statements, a transaction per page. */

const sqlFile = (name) => readFileSync(new URL(name, import.meta.url), 'utf8');

export function openStore(file) {
  const db = new Database(file);
  db.exec(sqlFile('pragmas.sql'));
  db.exec(sqlFile('schema.sql'));

  const upsertOwner = db
    .prepare(
      `insert into users (rest_id, screen_name, name, first_seen, seen_at) values (?, ?, ?, ?, ?)
      on conflict (rest_id) do update set
        screen_name = excluded.screen_name, name = excluded.name, seen_at = excluded.seen_at
      returning id`,
    )
    .pluck();
  const upsertUser = db
    .prepare(
      `insert into users (rest_id, screen_name, name, description, profile_image_url, verified, followers_count,
        following_count, first_seen, seen_at)
      values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
      on conflict (rest_id) do update set
        screen_name = excluded.screen_name, name = excluded.name, description = excluded.description,
        profile_image_url = excluded.profile_image_url, verified = excluded.verified,
        followers_count = excluded.followers_count, following_count = excluded.following_count,
        seen_at = excluded.seen_at
      returning id`,
    )
    .pluck();
  const upsertFollow = db.prepare(
    `insert into follows (followee_id, follower_id, first_seen, last_seen) values (?, ?, ?, ?)
    on conflict (followee_id, follower_id) do update set last_seen = excluded.last_seen`,
  );
  const insertRaw = db.prepare('insert into raw_pages (target, fetched_at, body) values (?, ?, ?)');
  const saveCheckpoint = db.prepare(
    `insert into checkpoints (target, cursor, pages, items, updated_at) values (?, ?, 1, ?, ?)
    on conflict (target) do update set
      cursor = excluded.cursor, pages = pages + 1, items = items + excluded.items, updated_at = excluded.updated_at`,
  );

  const storePage = db.transaction((target, body, { owner, users, cursor }) => {
    const now = Date.now();
    const followee = upsertOwner.get(target, owner.screen_name ?? null, owner.name ?? null, now, now);
    for (const user of users) {
      const follower = upsertUser.get(
        user.rest_id ?? user.id,
        user.screen_name ?? null,
        user.name ?? null,
        user.description ?? null,
        user.profile_image_url ?? null,
        user.verified == null ? null : Number(user.verified),
        user.followers_count ?? null,
        user.following_count ?? null,
        now,
        now,
      );
      upsertFollow.run(followee, follower, now, now);
    }
    insertRaw.run(target, now, deflateSync(body, { level: 1 }));
    saveCheckpoint.run(target, cursor ?? null, users.length, now);
  }).immediate;

  const count = (sql) => Number(db.prepare(sql).pluck().get());
  return {
    /** Stores a page with everything of it, or nothing. */
    page: storePage,
    /** What is stored, and how many lists came to their end. */
    count: () => ({
      users: count('select count(*) from follows'),
      distinctUsers: count('select count(*) from users'),
      ended: count('select count(*) from checkpoints where cursor is null'),
    }),
    close: () => db.close(),
  };
}
