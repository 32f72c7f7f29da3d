-- The tables of every peer's file: what a crawl of followers fills of trawl's own (src/store/schema/tables.ts), with the same
-- keys and indexes. The times of first sight have a default for the one peer whose upserts cannot set them only once.
create table if not exists users (
  id integer primary key,
  rest_id text not null unique,
  screen_name text,
  name text,
  description text,
  profile_image_url text,
  verified integer,
  followers_count integer,
  following_count integer,
  first_seen integer not null default (cast((julianday('now') - 2440587.5) * 86400000 as integer)),
  seen_at integer
);
create index if not exists users_screen_name on users (screen_name collate nocase);

create table if not exists follows (
  followee_id integer not null,
  follower_id integer not null,
  first_seen integer not null default (cast((julianday('now') - 2440587.5) * 86400000 as integer)),
  last_seen integer,
  primary key (followee_id, follower_id)
) without rowid;
create index if not exists follows_follower on follows (follower_id, followee_id);

-- How far each list has come; the cursor of an ended list is null.
create table if not exists checkpoints (
  target text primary key not null,
  cursor text,
  pages integer not null,
  items integer not null,
  updated_at integer not null
);

-- The body of every page as it was served, compressed with zlib.
create table if not exists raw_pages (
  id integer primary key,
  target text not null,
  fetched_at integer not null,
  body blob not null
);
