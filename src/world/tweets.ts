import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { planConversation, type PlannedTweet } from './conversation.ts';
import { createSnowflakeId, tweetTimeAt } from './era.ts';
import type { People } from './people.ts';
import { randomHeavyTail, randomRank } from './power-law.ts';
import { writeReplyText, writeThreadText, writeTweetText, writingStyleOf } from './prose.ts';
import { createTimeHeap } from './time-heap.ts';
import { createWeightedSampler } from './weighted-sampler.ts';

/** A tweet as it is written, with indices of people. */
export interface WrittenTweet {
  readonly restId: string;
  readonly author: number;
  readonly text: string;
  readonly createdAt: number;
  readonly favorites: number;
  readonly retweets: number;
  readonly quotes: number;
  readonly replies: number;
  readonly parent: { readonly restId: string; readonly author: number } | undefined;
  readonly media: readonly WrittenMedia[];
}

export interface WrittenMedia {
  readonly type: string;
  readonly url: string;
  readonly width: number;
  readonly height: number;
}

/**
 * All tweets in order of time. Time advances with the share of all tweets that is planned; what is planned for later
 * waits its turn, so that only the conversations of the moment are in memory.
 */
export function* generateTweets(people: People, followers: Uint32Array, seed: number): Generator<WrittenTweet> {
  const urn = createWeightedSampler(people.tweetCounts);
  const total = urn.totalWeight;
  const dice = createSeededRandom(seed, 'conversations');
  const write = createPen(people, followers, seed);
  const waiting = createTimeHeap<PlannedTweet>();
  while (urn.totalWeight > 0) {
    const at = tweetTimeAt((total - urn.totalWeight + dice.float()) / total);
    while (waiting.earliest <= at) yield write(waiting.pop()!);
    for (const planned of planConversation(people, urn, dice, urn.draw(dice), at)) waiting.push(planned.at, planned);
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) yield write(next);
}

/** Turns plans into tweets: times and ids strictly increase, so that no order between two tweets is in doubt. */
function createPen(people: People, followers: Uint32Array, seed: number): (planned: PlannedTweet) => WrittenTweet {
  const dice = createSeededRandom(seed, 'tweets');
  let last = 0;
  return (planned) => {
    const { author, parent } = planned;
    last = Math.max(last + 1, planned.at);
    planned.restId = createSnowflakeId(dice, last);
    const favorites = Math.min(
      followers[author]! * 2 + 3,
      Math.floor((followers[author]! + 6) * randomHeavyTail(dice, 0.012)),
    );
    const retweets = Math.floor(favorites * 0.4 * dice.float());
    return {
      restId: planned.restId,
      author,
      text: compose(people, dice, planned),
      createdAt: last,
      favorites,
      retweets,
      quotes: Math.floor(retweets * 0.3 * dice.float()),
      replies: planned.replies,
      parent,
      media: dice.chance(parent ? 0.05 : 0.24) ? mediaOf(dice, planned.restId) : [],
    };
  };
}

function compose(people: People, dice: SeededRandom, { author, parent, part, parts }: PlannedTweet): string {
  const voice = writingStyleOf(people.languages[author]!, people.topics[author]!);
  if (parent && parent.author === author && part > 1) return writeThreadText(dice, voice, part, parts);
  if (parent) return writeReplyText(dice, voice, people.screenNames[parent.author]!);
  const known = dice.chance(0.1) ? randomRank(dice, people.size) : author;
  return writeTweetText(dice, voice, known === author ? undefined : people.screenNames[known]);
}

const SHAPES = [
  [1200, 675],
  [1080, 1080],
  [900, 1600],
  [2048, 1365],
] as const;

function mediaOf(dice: SeededRandom, restId: string): WrittenMedia[] {
  const kind = dice.float();
  const type = kind < 0.82 ? 'photo' : kind < 0.94 ? 'video' : 'animated_gif';
  const several = type === 'photo' && dice.chance(0.25) ? dice.integerBetween(2, 4) : 1;
  return Array.from({ length: several }, (_, position) => {
    const [width, height] = dice.pick(SHAPES);
    const file = type === 'photo' ? `${position + 1}.jpg` : `${position + 1}.mp4`;
    return { type, url: `https://media.microblog.example/${restId}/${file}`, width, height };
  });
}
