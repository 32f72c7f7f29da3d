import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY } from '#base/clock.ts';
import { extractEntities } from '#base/text.ts';
import { type Db, openDatabase } from '#store/sqlite/database.ts';
import { createWorld } from '#twin/world/create-world.ts';
import type { WorldChanges } from '#twin/world/step/step-context.ts';
import { stepWorld } from '#twin/world/step/step-world.ts';
import { WORLD_END } from '#twin/world/times-and-ids.ts';
import { createStoreFile } from '../support/store-file.ts';
import { all, digest, emptyStore, INCONSISTENCIES, makeWorld, number } from './worlds.ts';

/** Queries that find inconsistencies in a world after any number of steps. */
const NEVER: Readonly<Record<string, string>> = {
  ...INCONSISTENCIES,
  'a dangling reference': 'select * from pragma_foreign_key_check',
  'a profile address without the handle': "select 1 from users where url not like '%/' || screen_name",
  'a reply older than its parent, or to another account': `select t.id from tweets t join tweets p on p.rest_id = t.in_reply_to_status_rest_id
     join users u on u.id = p.author_id where p.created_at >= t.created_at or u.rest_id <> t.in_reply_to_user_rest_id`,
  'an edge that ends before it begins, or overlaps its earlier period': `select f.id from follows f left join follow_history h
     on h.follower_id = f.follower_id and h.followee_id = f.followee_id where f.ended_at <= f.first_seen_at or h.ended_at > f.first_seen_at`,
  'a change before the value was last seen': `select id from user_history where changed_at <= last_seen_at
     union all select id from tweet_history where changed_at <= last_seen_at`,
  'a handle with other characters, or too long':
    "select screen_name from users where screen_name glob '*[^A-Za-z0-9_]*' or length(screen_name) not between 1 and 15",
};

const findBroken = (db: Db): string[] =>
  Object.entries(NEVER)
    .filter(([, query]) => all(db, query).length > 0)
    .map(([what]) => what);

interface TweetState {
  readonly id: string;
  readonly text: string;
  readonly counts: string;
  readonly isReply: number;
}

interface UserState {
  readonly id: string;
  readonly handle: string;
  readonly profile: string;
  readonly counts: string;
}

function readState(db: Db) {
  const byId = <T extends { id: string }>(query: string) => new Map(all<T>(db, query).map((row) => [row.id, row]));
  return {
    tweets: byId<TweetState>(`select rest_id as id, text, in_reply_to_status_rest_id is not null as isReply,
      json_array(favorite_count, retweet_count, quote_count, reply_count) as counts from tweets order by tweets.id`),
    edges: new Set(
      all<{ edge: string }>(
        db,
        `select a.rest_id || ' ' || b.rest_id as edge from follows join users a on a.id = follower_id
         join users b on b.id = followee_id where ended_at is null`,
      ).map(({ edge }) => edge),
    ),
    users: byId<UserState>(`select rest_id as id, screen_name as handle,
      json_array(name, description, location, profile_image_url, can_dm) as profile,
      json_array(followers_count, following_count, statuses_count, media_count, favourites_count) as counts from users`),
  };
}

/** The keys of both maps whose values differ. */
const differing = <T>(before: ReadonlyMap<string, T>, after: ReadonlyMap<string, T>, of: (item: T) => unknown) =>
  [...before.keys()].filter((id) => after.has(id) && of(before.get(id)!) !== of(after.get(id)!));
const without = (a: Iterable<string>, b: { has(item: string): boolean }): string[] =>
  [...a].filter((item) => !b.has(item));
const sorted = (items: Iterable<string>): string[] => [...items].toSorted();

const WORLDS: [users: number, seed: number, days: number][] = [
  [1, 1, 30],
  [2, 1, 30],
  [5, 2, 365],
  [60, 7, 1],
  [60, 8, 365],
  [200, 3, 7],
  [500, 7, 30],
];

type State = ReturnType<typeof readState>;

/** Expects that a step reports exactly the differences between two states. */
function expectDifferences(before: State, after: State, changes: WorldChanges): void {
  const suspended = new Set(changes.suspensions.map(({ restId }) => restId));
  expect(sorted(suspended)).toEqual(sorted(without(before.users.keys(), after.users)));

  const added = without(after.tweets.keys(), before.tweets);
  expect(changes.tweets).toEqual(added.filter((id) => !after.tweets.get(id)!.isReply));
  expect(changes.replies).toEqual(added.filter((id) => after.tweets.get(id)!.isReply));
  const removed = without(before.tweets.keys(), after.tweets);
  expect(removed).toEqual(expect.arrayContaining([...changes.deletions]));
  const ofSuspended = changes.suspensions.reduce((sum, { tweets }) => sum + tweets, 0);
  expect(removed).toHaveLength(changes.deletions.length + ofSuspended);
  expect(sorted(changes.edits)).toEqual(sorted(differing(before.tweets, after.tweets, ({ text }) => text)));
  expect(sorted(changes.tweetCounts)).toEqual(sorted(differing(before.tweets, after.tweets, ({ counts }) => counts)));

  const name = ({ follower, followee }: { follower: string; followee: string }) => `${follower} ${followee}`;
  const stays = (edge: string): boolean => !edge.split(' ').some((id) => suspended.has(id));
  expect(sorted(changes.follows.map(name))).toEqual(sorted(without(after.edges, before.edges)));
  expect(sorted(changes.unfollows.map(name))).toEqual(
    sorted(without(before.edges, after.edges).filter((edge) => stays(edge))),
  );

  expect(sorted(changes.renames.map(({ restId }) => restId))).toEqual(
    sorted(differing(before.users, after.users, ({ handle }) => handle)),
  );
  for (const { restId, from: earlier, to: later } of changes.renames) {
    expect([before.users.get(restId)!.handle, after.users.get(restId)!.handle]).toEqual([earlier, later]);
  }
  expect(sorted(new Set(changes.profiles.map(({ restId }) => restId)))).toEqual(
    sorted(differing(before.users, after.users, ({ profile }) => profile)),
  );
  expect(sorted(changes.userCounts)).toEqual(sorted(differing(before.users, after.users, ({ counts }) => counts)));
}

/** Takes steps, compares each with its report, and returns the inconsistencies after each. */
function takeSteps(db: Db, days: number, seeds: readonly number[]): string[] {
  const broken: string[] = [];
  let before = readState(db);
  for (const [n, seed] of seeds.entries()) {
    const { changes, from, to } = stepWorld({ db, days, seed });
    expect([Date.parse(from), Date.parse(to)]).toEqual([WORLD_END + n * days * DAY, WORLD_END + (n + 1) * days * DAY]);
    broken.push(...findBroken(db));
    const after = readState(db);
    expectDifferences(before, after, changes);
    before = after;
  }
  return broken;
}

describe('a world that advances stays consistent, and each step reports exactly its changes', () => {
  it.each(WORLDS)('with %i users by seed %i, three times by %i days', async (users, seed, days) => {
    const { db } = await makeWorld(users, seed);
    expect(takeSteps(db, days, [seed, seed + 1, seed + 2])).toEqual([]);
  });

  it('with any few users, seeds and days', async () => {
    const days = fc.integer({ min: 1, max: 400 });
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 60 }),
        days,
        fc.array(fc.nat(), { minLength: 1, maxLength: 3 }),
        async (users, length, seeds) => {
          const db = openDatabase(createStoreFile());
          try {
            await createWorld({ db, users, seed: seeds[0]! });
            expect(takeSteps(db, length, seeds)).toEqual([]);
          } finally {
            db.$client.close();
          }
        },
      ),
      // A profile changed before the account took a freed handle, which is written an hour ahead.
      { numRuns: 15, examples: [[9, 400, [2_147_483_640, 216_455_318]]] },
    );
  });
});

describe('a step', () => {
  it('is identical for the same world and seed, and different for another seed', async () => {
    const worlds = await Promise.all([makeWorld(60, 7), makeWorld(60, 7), makeWorld(60, 7)]);
    const steps = worlds.map(({ db }, i) => stepWorld({ db, days: 10, seed: i < 2 ? 1 : 2 }));
    expect(steps[0]).toEqual(steps[1]);
    const digests = worlds.map(({ db }) => digest(db));
    expect(digests[0]).toBe(digests[1]);
    expect(digests[2]).not.toBe(digests[0]);
  });

  it('changes a year of a world at the documented rates', async () => {
    const { db } = await makeWorld(500, 7);
    const { changes } = stepWorld({ db, days: 365, seed: 1 });
    const perThousandAndDay = (count: number) => (count / 500 / 365) * 1000;
    expect(perThousandAndDay(changes.tweets.length)).toBeCloseTo(20, 0);
    expect(perThousandAndDay(changes.replies.length)).toBeCloseTo(12, 0);
    expect(perThousandAndDay(changes.renames.length)).toBeGreaterThan(1.5);
    expect(changes.renames.filter(({ isTaken }) => isTaken).length).toBeGreaterThan(20);
    expect(changes.suspensions.length).toBeGreaterThan(50);
    expect(changes.unfollows.length).toBeGreaterThan(1000);
    expect(changes.deletions.length).toBeGreaterThan(500);
  });

  it('lets an unfollowed account be followed again, and keeps the earlier period', async () => {
    const { db } = await makeWorld(60, 7);
    for (let seed = 0; seed < 4; seed += 1) stepWorld({ db, days: 365, seed });
    expect(number(db, 'select count(*) from follow_history')).toBeGreaterThan(0);
    expect(findBroken(db)).toEqual([]);
  });

  it('writes new tweets in the languages of their authors, with the entities of their texts', async () => {
    const { db } = await makeWorld(500, 7);
    const { changes } = stepWorld({ db, days: 60, seed: 1 });
    const stored = (table: string, column: string, id: number): unknown[] =>
      db.$client.prepare(`select ${column} from ${table} where tweet_id = ?`).pluck().all(id);
    const texts: string[] = [];
    for (const restId of [...changes.tweets, ...changes.edits]) {
      const row = db.$client.prepare('select id, text from tweets where rest_id = ?').get(restId);
      const { id, text } = row as { id: number; text: string };
      texts.push(text);
      const { hashtags, mentions, links } = extractEntities(text);
      expect(sorted(stored('tweet_hashtags', 'tag', id) as string[])).toEqual(sorted(hashtags));
      expect(sorted(stored('tweet_mentions', 'screen_name', id) as string[])).toEqual(sorted(mentions));
      expect(sorted(stored('tweet_links', 'url', id) as string[])).toEqual(sorted(links));
    }
    for (const script of ['Latin', 'Cyrillic', 'Arabic', 'Han'])
      expect(texts.join('\n')).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    const found = db.$client
      .prepare("select count(*) from tweets_fts where tweets_fts match 'typo OR clearer'")
      .pluck();
    expect(found.get()).toBeGreaterThan(0);
  });

  it('refuses a store without a world, one with crawls, and a time that ids do not cover', async () => {
    expect(() => stepWorld({ db: emptyStore(), days: 1, seed: 1 })).toThrow('the database holds no world');
    const { db } = await makeWorld(2, 1);
    expect(() => stepWorld({ db, days: 365 * 60, seed: 1 })).toThrow('a world cannot advance beyond the year 2078');
    db.$client.exec(
      "insert into crawls (kind, target, options, priority, state, created_at, updated_at) values ('profile', 'a', '{}', 'interactive', 'pending', 0, 0)",
    );
    expect(() => stepWorld({ db, days: 1, seed: 1 })).toThrow('the database holds crawls: it is not a world');
  });
});
