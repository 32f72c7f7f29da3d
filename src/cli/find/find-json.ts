import type { TweetResult, TweetResults } from '../../analysis/find/find-tweets.ts';
import type { UserResult, UserResults } from '../../analysis/find/find-users.ts';
import type { TextRange } from '../../analysis/find/folded-text.ts';
import type { Ranking } from '../../analysis/find/ranking.ts';
import type { EvidenceAge } from '../../analysis/recheck/evidence-age.ts';

/** The document of `trawl find --json`. */
export const toTweetsJson = (query: string, ranking: TweetResults, deletions: EvidenceAge | null) => ({
  ...toSearchJson(query, ranking),
  deletions,
  tweets: ranking.results.map(toTweetJson),
});

/** The document of `trawl find --users --json`. */
export const toUsersJson = (query: string, ranking: UserResults) => ({
  ...toSearchJson(query, ranking),
  users: ranking.results.map(toUserJson),
});

const toSearchJson = (query: string, { matched, limits, hidden }: Ranking) => ({
  query,
  matches: matched,
  limits,
  hidden,
});

const toTweetJson = (tweet: TweetResult) => ({
  restId: tweet.restId,
  author: tweet.author,
  createdAt: tweet.createdAt,
  text: tweet.text,
  favoriteCount: tweet.favoriteCount,
  retweetCount: tweet.retweetCount,
  replyCount: tweet.replyCount,
  quoteCount: tweet.quoteCount,
  state: tweet.state,
  highlights: { text: toCodePoints(tweet.text, tweet.highlights) },
});

const toUserJson = ({ restId, screenName, name, description, highlights, ...user }: UserResult) => ({
  restId,
  screenName,
  name,
  description,
  createdAt: user.createdAt,
  followersCount: user.followersCount,
  statusesCount: user.statusesCount,
  state: user.state,
  highlights: {
    screenName: toCodePoints(screenName, highlights.screenName),
    name: toCodePoints(name, highlights.name),
    description: toCodePoints(description, highlights.description),
  },
});

/** Converts places in UTF-16 code units to places in code points, as most languages and jq count them. */
function toCodePoints(text: string | null, ranges: readonly TextRange[]): TextRange[] {
  let units = 0;
  let points = 0;
  const convert = (at: number): number => {
    for (; units < at; points++) units += text!.codePointAt(units)! > 0xffff ? 2 : 1;
    return points;
  };
  return ranges.map(({ start, end }) => ({ start: convert(start), end: convert(end) }));
}
