import { MINUTE } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';
import type { People } from './generate-people.ts';
import { randomHeavyTail, randomPareto } from './power-law.ts';
import { LAST_TWEET } from './times-and-ids.ts';
import type { WeightedSampler } from './weighted-sampler.ts';

export interface PlannedTweet {
  readonly author: number;
  readonly at: number;
  readonly parent: PlannedTweet | undefined;
  /** Part number and number of parts; 1 of 1 for a single tweet. */
  readonly part: number;
  readonly parts: number;
  /** The number of replies, which is known in advance, since conversations are planned as a whole. */
  replies: number;
  /** Set when the tweet is written, which is before its replies are. */
  restId: string;
}

const MAX_REPLIES = 40;

/**
 * Creates a function that plans a tweet and its conversation, each parent before its replies. Every tweet counts against
 * the budget of its author.
 */
export function createConversationPlanner(people: People, sampler: WeightedSampler, random: SeededRandom) {
  /** Draws the number of replies; famous authors get more. */
  function drawReplyCount(author: number): number {
    const minimum = author < people.size / 100 ? 1.2 : author < people.size / 10 ? 0.5 : 0.22;
    return Math.min(MAX_REPLIES, Math.floor(randomHeavyTail(random, minimum)));
  }

  /**
   * Chooses the author of a reply: the author of the tweet, or somebody else, of the same language if possible. Nobody
   * answers their own tweet.
   */
  function chooseReplier(author: number, parent: PlannedTweet): number | undefined {
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

  function planTweet(author: number, at: number, parent: PlannedTweet | undefined, part = 1, parts = 1): PlannedTweet {
    sampler.decrement(author);
    if (parent) parent.replies += 1;
    return { author, at, parent, part, parts, replies: 0, restId: '' };
  }

  return (author: number, at: number): PlannedTweet[] => {
    const parts = Math.min(random.chance(0.06) ? random.integerBetween(2, 6) : 1, sampler.weightAt(author));
    let last = planTweet(author, at, undefined, 1, parts);
    const planned = [last];
    for (let part = 2; part <= parts; part += 1) {
      const partTime = last.at + random.integerBetween(MINUTE / 2, 4 * MINUTE);
      if (partTime >= LAST_TWEET) break;
      last = planTweet(author, partTime, last, part, parts);
      planned.push(last);
    }
    for (let remaining = drawReplyCount(author); remaining > 0 && sampler.totalWeight > 0; remaining -= 1) {
      const parent = random.chance(0.7) ? planned[0]! : random.pick(planned);
      const replyTime = Math.floor(parent.at + randomPareto(random, 2) * randomPareto(random, 2) * MINUTE);
      const replier = chooseReplier(author, parent);
      if (replier !== undefined && replyTime < LAST_TWEET) planned.push(planTweet(replier, replyTime, parent));
    }
    return planned;
  };
}
