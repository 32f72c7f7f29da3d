import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { createConversationPlanner, type PlannedTweet } from './generate-conversation.ts';
import type { People } from './generate-people.ts';
import { randomHeavyTail, randomRank } from './power-law.ts';
import { createTimeHeap } from './time-heap.ts';
import { createSnowflakeId, tweetTimeAt } from './times-and-ids.ts';
import { writeReplyText, writeThreadText, writeTweetText, writingStyleOf } from './tweet-texts.ts';
import { createWeightedSampler } from './weighted-sampler.ts';

/** A generated tweet; accounts are indices. */
export interface WrittenTweet extends Readonly<Pick<PlannedTweet, 'restId' | 'author' | 'replies' | 'parent'>> {
  readonly text: string;
  readonly createdAt: number;
  readonly favorites: number;
  readonly retweets: number;
  readonly quotes: number;
  readonly media: ReturnType<typeof createMedia>;
}

/**
 * Generates all tweets in chronological order. Time advances with the share of tweets that are planned, and planned tweets
 * wait in a heap, so that only current conversations are in memory.
 */
export function* generateTweets(people: People, followers: Uint32Array, seed: number): Generator<WrittenTweet> {
  const sampler = createWeightedSampler(people.tweetCounts);
  const total = sampler.totalWeight;
  const random = createSeededRandom(seed, 'conversations');
  const planConversation = createConversationPlanner(people, sampler, random);
  const write = createTweetWriter(people, followers, seed);
  const pending = createTimeHeap<PlannedTweet>();
  while (sampler.totalWeight > 0) {
    const at = tweetTimeAt((total - sampler.totalWeight + random.float()) / total);
    while (pending.earliest <= at) yield write(pending.pop()!);
    for (const planned of planConversation(sampler.draw(random), at)) pending.push(planned.at, planned);
  }
  for (let next = pending.pop(); next; next = pending.pop()) yield write(next);
}

/** Creates tweets from plans. Times and ids strictly increase, so that the order of tweets is unambiguous. */
function createTweetWriter(
  people: People,
  followers: Uint32Array,
  seed: number,
): (planned: PlannedTweet) => WrittenTweet {
  const random = createSeededRandom(seed, 'tweets');
  let last = 0;
  return (planned) => {
    const { author, parent } = planned;
    last = Math.max(last + 1, planned.at);
    planned.restId = createSnowflakeId(random, last);
    const favorites = Math.min(
      followers[author]! * 2 + 3,
      Math.floor((followers[author]! + 6) * randomHeavyTail(random, 0.012)),
    );
    const retweets = Math.floor(favorites * 0.4 * random.float());
    return {
      restId: planned.restId,
      author,
      text: writeText(people, random, planned),
      createdAt: last,
      favorites,
      retweets,
      quotes: Math.floor(retweets * 0.3 * random.float()),
      replies: planned.replies,
      parent,
      media: random.chance(parent ? 0.05 : 0.24) ? createMedia(random, planned.restId) : [],
    };
  };
}

function writeText(people: People, random: SeededRandom, { author, parent, part, parts }: PlannedTweet): string {
  const style = writingStyleOf(people.languages[author]!, people.topics[author]!);
  if (parent && parent.author === author && part > 1) return writeThreadText(random, style, part, parts);
  if (parent) return writeReplyText(random, style, people.screenNames[parent.author]!);
  const mentioned = random.chance(0.1) ? randomRank(random, people.size) : author;
  return writeTweetText(random, style, mentioned === author ? undefined : people.screenNames[mentioned]);
}

const MEDIA_SIZES = [
  [1200, 675],
  [1080, 1080],
  [900, 1600],
  [2048, 1365],
] as const;

/** Creates the media of a tweet: one photo or video, or up to four photos. */
export function createMedia(random: SeededRandom, restId: string) {
  const draw = random.float();
  const type = draw < 0.82 ? 'photo' : draw < 0.94 ? 'video' : 'animated_gif';
  const count = type === 'photo' && random.chance(0.25) ? random.integerBetween(2, 4) : 1;
  return Array.from({ length: count }, (_, position) => {
    const [width, height] = random.pick(MEDIA_SIZES);
    const file = type === 'photo' ? `${position + 1}.jpg` : `${position + 1}.mp4`;
    return { type, url: `https://media.microblog.example/${restId}/${file}`, width, height };
  });
}
