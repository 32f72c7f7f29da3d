import { load } from './built-trawl.ts';
import { readArguments, report } from './child.ts';
import { createSeededGenerator, idAt, type Person, personAt } from './workload.ts';

/**
 * Creates a store to serve, with profiles and lists of randomly drawn followers, so that the rows of a page are
 * scattered. It uses plain SQL, since only reading is measured.
 */

export interface TwinStoreArguments {
  readonly dist: string;
  readonly db: string;
  readonly people: number;
  /** Number of people with a list. */
  readonly lists: number;
  readonly pagesPerList: number;
  readonly perPage: number;
}

export interface TwinStore {
  readonly restIds: readonly string[];
  readonly screenNames: readonly string[];
}

const NAMES = 20_000;
const AT = Date.UTC(2026, 0, 1);

async function make({ dist, db: file, people, lists, pagesPerList, perPage }: TwinStoreArguments): Promise<TwinStore> {
  const { openDatabase } = await load(dist, 'store/sqlite/database.js');
  const { $client: db } = openDatabase(file);
  db.pragma('synchronous = OFF');
  db.pragma('cache_size = -1000000');
  const random = createSeededGenerator(1);
  db.transaction(() => {
    const user = db.prepare(INSERT_USER);
    const seen = db.prepare('insert into _user_last_seen (user_id, last_seen_at, last_summary_at) values (?, ?, ?)');
    for (let index = 0; index < people; index++) {
      user.run(...columnsOf(personAt(index), index, random.below(10_000)));
      seen.run(index + 1, AT, AT);
    }
    const follow = db.prepare(
      'insert into follows (followee_id, follower_id, first_seen_at, last_seen_at) values (?, ?, ?, ?) on conflict do nothing',
    );
    // One more, so that the last page has a cursor, too.
    for (let list = 1; list <= lists; list++) {
      const size = pagesPerList * perPage + 1;
      const followers = new Set<number>();
      while (followers.size < Math.min(size, people)) followers.add(1 + random.below(people));
      for (const follower of followers) follow.run(list, follower, AT, AT);
    }
  })();
  db.pragma('wal_checkpoint(TRUNCATE)');
  const screenNames = db
    .prepare('select screen_name from users where id % ? = 0')
    .pluck()
    .all(Math.max(1, Math.floor(people / NAMES))) as string[];
  db.close();
  return { restIds: Array.from({ length: lists }, (_, index) => idAt(index)), screenNames };
}

const INSERT_USER = `insert into users (rest_id, name, screen_name, profile_image_url, description, followers_count,
  following_count, verified, location, url, type, cover_image_url, is_blue_verified, can_dm, has_custom_timelines,
  is_translator, favourites_count, media_count, statuses_count, created_at, first_seen_at, changed_at, profile_at)
  values (${Array(23).fill('?').join(', ')})`;

function columnsOf(person: Person, index: number, count: number): unknown[] {
  const {
    id,
    name,
    profile_image_url: image,
    description,
    followers_count: followers,
    following_count: following,
  } = person;
  /** Short and unique. */
  const screenName = `${person.screen_name.split('_')[0]!.slice(0, 6)}_${index.toString(36)}`;
  const cover = `https://img.example.org/profile_banners/${id}/1500x500`;
  return [
    id,
    name,
    screenName,
    image,
    description,
    followers,
    following,
    Number(person.verified),
    'São Paulo',
    `https://example.org/${screenName}`,
    'user',
    cover,
    0,
    1,
    0,
    0,
    count,
    count,
    count,
    AT - count,
    AT,
    AT,
    AT,
  ];
}

report(await make(readArguments<TwinStoreArguments>()));
