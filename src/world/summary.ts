import type { Groups } from './groups.ts';
import { HABITS, type People } from './people.ts';
import type { UserCounts } from './profiles.ts';
import type { WrittenTweet } from './tweets.ts';

export interface NotableAccount {
  readonly screenName: string;
  readonly restId: string;
  readonly followers: number;
  readonly tweets: number;
}

/** The size of a world, and accounts to crawl first. */
export interface WorldSummary {
  readonly users: number;
  readonly follows: number;
  readonly tweets: number;
  readonly replies: number;
  readonly media: number;
  readonly communities: number;
  readonly lists: number;
  readonly mostFollowed: readonly NotableAccount[];
  readonly mostProlific: readonly NotableAccount[];
  readonly tweetless: string | undefined;
  /** The most used hashtags. */
  readonly hashtags: readonly string[];
  /** The ids of a community and of a list. */
  readonly community: string | undefined;
  readonly list: string | undefined;
}

const TOP_COUNT = 3;

/** Counts rows while they are written. */
export function createSummary(people: People, counts: UserCounts, groups: Groups) {
  const tagCounts = new Map<string, number>();
  const topAccounts = (weights: Uint32Array): NotableAccount[] => {
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
  const summary = {
    follows: 0,
    tweets: 0,
    replies: 0,
    media: 0,
    count(tweet: WrittenTweet, hashtags: readonly string[]): void {
      if (tweet.parent) summary.replies += 1;
      summary.media += tweet.media.length;
      for (const tag of hashtags) tagCounts.set(tag, (tagCounts.get(tag) ?? 0) + 1);
    },
    finish: (): WorldSummary => ({
      users: people.size,
      follows: summary.follows,
      tweets: summary.tweets,
      replies: summary.replies,
      media: summary.media,
      communities: groups.communities.length,
      lists: groups.lists.length,
      mostFollowed: topAccounts(counts.followers),
      mostProlific: topAccounts(counts.statuses),
      tweetless: people.screenNames[people.habits.findIndex((habit) => HABITS[habit] === 'tweetless')],
      hashtags: [...tagCounts]
        .sort(([, a], [, b]) => b - a)
        .slice(0, TOP_COUNT)
        .map(([tag]) => tag),
      community: groups.communities[0]?.restId,
      list: groups.lists[0]?.restId,
    }),
  };
  return summary;
}
