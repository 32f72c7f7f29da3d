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

const MOST_REPLIES = 40;

/**
 * Plans a tweet by `author` at `at` and all that follows from it, a parent always before its replies. Every tweet is
 * taken from its author's budget.
 */
export function planConversation(
  people: People,
  urn: WeightedSampler,
  dice: SeededRandom,
  author: number,
  at: number,
): PlannedTweet[] {
  const planned: PlannedTweet[] = [];
  const write = (
    by: number,
    when: number,
    parent: PlannedTweet | undefined,
    part: number,
    parts: number,
  ): PlannedTweet => {
    urn.decrement(by);
    const tweet = { author: by, at: when, parent, part, parts, replies: 0, restId: '' };
    if (parent) parent.replies += 1;
    planned.push(tweet);
    return tweet;
  };

  const parts = Math.min(dice.chance(0.06) ? dice.integerBetween(2, 6) : 1, urn.weightAt(author));
  let last = write(author, at, undefined, 1, parts);
  for (let part = 2; part <= parts; part += 1) {
    const when = last.at + dice.integerBetween(MINUTE / 2, 4 * MINUTE);
    if (when >= LAST_TWEET) break;
    last = write(author, when, last, part, parts);
  }
  for (let wanted = interest(people, author, dice); wanted > 0 && urn.totalWeight > 0; wanted -= 1) {
    const parent = dice.chance(0.7) ? planned[0]! : dice.pick(planned);
    const when = Math.floor(parent.at + randomPareto(dice, 2) * randomPareto(dice, 2) * MINUTE);
    const by = answerer(people, urn, dice, author, parent);
    if (by !== undefined && when < LAST_TWEET) write(by, when, parent, 1, 1);
  }
  return planned;
}

/** How many would like to answer: the famous hear more. */
function interest(people: People, author: number, dice: SeededRandom): number {
  const fame = author < people.size / 100 ? 1.2 : author < people.size / 10 ? 0.5 : 0.22;
  return Math.min(MOST_REPLIES, Math.floor(randomHeavyTail(dice, fame)));
}

/** The author answers back, or somebody, of the same language if one is found soon; nobody answers themselves here. */
function answerer(
  people: People,
  urn: WeightedSampler,
  dice: SeededRandom,
  author: number,
  parent: PlannedTweet,
): number | undefined {
  if (parent.author !== author && urn.weightAt(author) > 0 && dice.chance(0.5)) return author;
  let found: number | undefined;
  for (let tries = 0; tries < 8; tries += 1) {
    const candidate = urn.draw(dice);
    if (candidate === parent.author) continue;
    found = candidate;
    if (people.languages[candidate] === people.languages[parent.author]) break;
  }
  return found;
}
