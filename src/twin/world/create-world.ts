import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { TrawlError } from '#base/errors.ts';
import { prepareSearchIndex } from '#store/merge/full-text-index.ts';
import * as schema from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { generateFollows } from './generate-follows.ts';
import { createGroups, type Groups } from './generate-groups.ts';
import { createPeople, HABITS, type People } from './generate-people.ts';
import { createUserCounts, generateProfiles, type UserCounts } from './generate-profiles.ts';
import { generateTweets, type WrittenTweet } from './generate-tweets.ts';
import { createRowWriter } from './row-writer.ts';

export interface WorldProgress {
  readonly phase: 'follows' | 'tweets' | 'users';
  readonly done: number;
  readonly total: number;
}

export interface WorldOptions {
  readonly db: Db;
  readonly users: number;
  /** The same seed and number of users give the same rows. */
  readonly seed: number;
  readonly onProgress?: ((progress: WorldProgress) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Rows per transaction. */
const CHUNK = 5000;

/**
 * Generates a synthetic microblog and writes it to a store: edges, then tweets, and last the users with their counts.
 * Memory grows only with the number of users.
 * @throws TrawlError if the store is not empty; the signal's reason if it is aborted, which leaves the store unfinished
 */
export async function createWorld(options: WorldOptions): Promise<WorldSummary> {
  const { db, seed } = options;
  requireEmptyStore(db);
  const people = createPeople(options.users, seed);
  const counts = createUserCounts(people.size);
  const groups = createGroups(people, seed);
  const rows = createRowWriter(db, people);
  const summary = createSummary(people, counts, groups);

  const writeAll = async <T>(
    phase: WorldProgress['phase'],
    total: number,
    items: Iterator<T>,
    write: (item: T) => number,
  ) => {
    let done = 0;
    for (let hasMore = true; hasMore;) {
      options.signal?.throwIfAborted();
      const writeChunk = db.$client.transaction(() => {
        for (let i = 0; i < CHUNK; i += 1) {
          const next = items.next();
          if (next.done) return false;
          done = write(next.value);
        }
        return true;
      });
      hasMore = writeChunk.immediate();
      options.onProgress?.({ phase, done: hasMore ? done : total, total });
      await yieldToEventLoop();
    }
  };

  await writeAll('follows', people.size, generateFollows(people, seed), (edge) => {
    rows.follow(edge);
    counts.followers[edge.followee]! += 1;
    counts.following[edge.follower]! += 1;
    summary.totals.follows += 1;
    return edge.follower;
  });
  db.$client.transaction(() => rows.groups(groups)).immediate();
  const plannedTweets = people.tweetCounts.reduce((sum, budget) => sum + budget, 0);
  await writeAll('tweets', plannedTweets, generateTweets(people, counts.followers, seed), (tweet) => {
    const id = summary.totals.tweets + 1;
    summary.countTweet(tweet, rows.tweet(tweet, id, groups.findGroups(tweet)));
    counts.statuses[tweet.author]! += 1;
    if (tweet.media.length > 0) counts.media[tweet.author]! += 1;
    return id;
  });
  await writeAll('users', people.size, generateProfiles(people, counts, seed), (user) => {
    rows.user(user);
    return user.id!;
  });
  // In a crawled store, the end of a crawl does this.
  db.$client.transaction(prepareSearchIndex(db)).immediate();
  return summary.finish();
}

/** Users are written last, so edges or tweets show an unfinished world. */
function requireEmptyStore(db: Db): void {
  const isFilled = [schema.users, schema.tweets, schema.follows].some(
    (table) => db.select().from(table).limit(1).all().length > 0,
  );
  if (!isFilled) return;
  throw new TrawlError('the database already holds users, tweets or follows', {
    hint: 'A world needs a store of its own: give a new file with --db.',
  });
}

const TOP_COUNT = 3;

/** The size of a world, and accounts to crawl first. */
export type WorldSummary = ReturnType<ReturnType<typeof createSummary>['finish']>;

export type NotableAccount = WorldSummary['mostFollowed'][number];

/** Counts rows while they are written. */
function createSummary(people: People, counts: UserCounts, groups: Groups) {
  const tagCounts = new Map<string, number>();
  const topAccounts = (weights: Uint32Array) => {
    const best: number[] = [];
    for (let i = 0; i < people.size; i += 1) {
      best.push(i);
      best.sort((a, b) => weights[b]! - weights[a]! || a - b).splice(TOP_COUNT);
    }
    return best.map((i) => ({
      screenName: people.screenNames[i]!,
      restId: people.restIds[i]!,
      followers: counts.followers[i]!,
      tweets: counts.statuses[i]!,
    }));
  };
  const totals = { users: people.size, follows: 0, tweets: 0, replies: 0, media: 0 };
  return {
    totals,
    countTweet(tweet: WrittenTweet, hashtags: readonly string[]): void {
      totals.tweets += 1;
      if (tweet.parent) totals.replies += 1;
      totals.media += tweet.media.length;
      for (const tag of hashtags) tagCounts.set(tag, (tagCounts.get(tag) ?? 0) + 1);
    },
    finish: () => ({
      ...totals,
      communities: groups.communities.length,
      lists: groups.lists.length,
      mostFollowed: topAccounts(counts.followers),
      mostProlific: topAccounts(counts.statuses),
      /** An account without tweets, if there is one. */
      tweetless: people.screenNames[people.habits.findIndex((habit) => HABITS[habit] === 'tweetless')],
      /** The most used hashtags. */
      hashtags: [...tagCounts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, TOP_COUNT)
        .map(([tag]) => tag),
      /** The ids of a community and of a list. */
      community: groups.communities[0]?.restId,
      list: groups.lists[0]?.restId,
    }),
  };
}
