import type { Groups } from './generate-groups.ts';
import { HABITS, type People } from './generate-people.ts';
import type { UserCounts } from './generate-profiles.ts';
import type { WrittenTweet } from './generate-tweets.ts';

const TOP_COUNT = 3;

/** The size of a world, and accounts to crawl first. */
export type WorldSummary = ReturnType<ReturnType<typeof createSummary>['finish']>;

export type NotableAccount = WorldSummary['mostFollowed'][number];

/** Counts rows while they are written. */
export function createSummary(people: People, counts: UserCounts, groups: Groups) {
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
