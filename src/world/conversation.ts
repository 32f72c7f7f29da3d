import { MINUTE } from '../clock.ts';
import type { SeededRandom } from '../seeded-random.ts';
import { LAST_TWEET } from './era.ts';
import type { People } from './people.ts';
import { randomHeavyTail, randomPareto } from './power-law.ts';
import type { WeightedSampler } from './weighted-sampler.ts';

/** A tweet that will be written: who answers whom, and when. */
export interface PlannedTweet {
  readonly author: number;
  readonly at: number;
  readonly parent: PlannedTweet | undefined;
  /** Which part of a thread of how many it is, when it is one of a thread. */
  readonly part: number;
  readonly parts: number;
  /** How many replies it will get: known when it is written, because whole conversations are planned. */
  replies: number;
  /** Set when it is written, before its replies are. */
  restId: string;
}

const MAX_REPLIES = 40;

/**
 * Plans a tweet by `author` at `at` and all that follows from it, a parent always before its replies. Every tweet is
 * taken from its author's budget.
 */
export function planConversation(
  people: People,
  sampler: WeightedSampler,
  random: SeededRandom,
  author: number,
  at: number,
): PlannedTweet[] {
  const planned: PlannedTweet[] = [];
  const addTweet = (
    tweetAuthor: number,
    tweetTime: number,
    parent: PlannedTweet | undefined,
    part: number,
    parts: number,
  ): PlannedTweet => {
    sampler.decrement(tweetAuthor);
    const tweet = { author: tweetAuthor, at: tweetTime, parent, part, parts, replies: 0, restId: '' };
    if (parent) parent.replies += 1;
    planned.push(tweet);
    return tweet;
  };

  const parts = Math.min(random.chance(0.06) ? random.integerBetween(2, 6) : 1, sampler.weightAt(author));
  let last = addTweet(author, at, undefined, 1, parts);
  for (let part = 2; part <= parts; part += 1) {
    const tweetTime = last.at + random.integerBetween(MINUTE / 2, 4 * MINUTE);
    if (tweetTime >= LAST_TWEET) break;
    last = addTweet(author, tweetTime, last, part, parts);
  }
  for (
    let remaining = drawReplyCount(people, author, random);
    remaining > 0 && sampler.totalWeight > 0;
    remaining -= 1
  ) {
    const parent = random.chance(0.7) ? planned[0]! : random.pick(planned);
    const tweetTime = Math.floor(parent.at + randomPareto(random, 2) * randomPareto(random, 2) * MINUTE);
    const tweetAuthor = chooseReplier(people, sampler, random, author, parent);
    if (tweetAuthor !== undefined && tweetTime < LAST_TWEET) addTweet(tweetAuthor, tweetTime, parent, 1, 1);
  }
  return planned;
}

/** How many would like to answer: the famous hear more. */
function drawReplyCount(people: People, author: number, random: SeededRandom): number {
  const minimum = author < people.size / 100 ? 1.2 : author < people.size / 10 ? 0.5 : 0.22;
  return Math.min(MAX_REPLIES, Math.floor(randomHeavyTail(random, minimum)));
}

/** The author answers back, or somebody, of the same language if one is found soon; nobody answers themselves here. */
function chooseReplier(
  people: People,
  sampler: WeightedSampler,
  random: SeededRandom,
  author: number,
  parent: PlannedTweet,
): number | undefined {
  if (parent.author !== author && sampler.weightAt(author) > 0 && random.chance(0.5)) return author;
  let chosen: number | undefined;
  for (let tries = 0; tries < 8; tries += 1) {
    const candidate = sampler.draw(random);
    if (candidate === parent.author) continue;
    chosen = candidate;
    if (people.languages[candidate] === people.languages[parent.author]) break;
  }
  return chosen;
}
