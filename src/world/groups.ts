import { DAY, MINUTE } from '../clock.ts';
import { createShuffledCycle, createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { createSnowflakeId, TWEETS_BEGIN, WORLD_END } from './era.ts';
import type { People } from './people.ts';
import { randomRank } from './power-law.ts';
import { fillTemplate } from './prose.ts';
import type { WrittenTweet } from './tweets.ts';
import { COMMUNITY_DESCRIPTIONS, COMMUNITY_NAMES, LIST_DESCRIPTIONS, LIST_NAMES, PLACES, TOPICS } from './words.ts';

/** A community or a list; its number in the store is its place among its kind, from 1. */
export interface WrittenGroup {
  readonly restId: string;
  readonly name: string;
  readonly description: string;
  readonly topic: number;
}

export interface Groups {
  readonly communities: readonly WrittenGroup[];
  readonly lists: readonly WrittenGroup[];
  /** Where a tweet shows up, as places among their kind. Only original tweets do: neither shows what a reply answers. */
  groupsShowing(tweet: WrittenTweet): { readonly communities: readonly number[]; readonly lists: readonly number[] };
}

const NOWHERE = { communities: [], lists: [] } as const;
/** A list shows the latest of its members' tweets. */
const LATEST = WORLD_END - 365 * DAY;

/** One of each for every hundred people, and never fewer than three where there are people enough. */
const groupCount = (people: number): number =>
  people >= 50 ? Math.max(3, Math.floor(people / 100)) : Math.min(people, 1);

/** Communities of a topic, in which those post who care about it, and lists of people of a topic. */
export function createGroups(people: People, seed: number): Groups {
  const dice = createSeededRandom(seed, 'groups');
  const posting = createSeededRandom(seed, 'community posts');
  const topicOf = createShuffledCycle(
    dice,
    [...TOPICS.keys()].filter((topic) => writers(people, topic).length > 0),
  );
  const count = groupCount(people.size);
  const make = (names: readonly string[], descriptions: readonly string[]): WrittenGroup[] =>
    Array.from({ length: count }, (_, i) => describe(dice, i, topicOf(), names, descriptions));
  const communities = make(COMMUNITY_NAMES, COMMUNITY_DESCRIPTIONS);
  const lists = make(LIST_NAMES, LIST_DESCRIPTIONS);
  const ofTopic = TOPICS.map((_, topic) => [...communities.keys()].filter((i) => communities[i]!.topic === topic));
  const listsOf = memberships(people, lists, dice);
  return {
    communities,
    lists,
    groupsShowing(tweet) {
      if (tweet.parent) return NOWHERE;
      const open = ofTopic[people.topics[tweet.author]!]!;
      return {
        communities: open.length > 0 && posting.chance(0.3) ? [open[randomRank(posting, open.length)]!] : [],
        lists: tweet.createdAt >= LATEST ? (listsOf.get(tweet.author) ?? []) : [],
      };
    },
  };
}

const writers = (people: People, topic: number): Uint32Array =>
  people.peopleByTopic[topic]!.filter((i) => people.tweetCounts[i]! > 0);

function describe(
  dice: SeededRandom,
  index: number,
  topic: number,
  names: readonly string[],
  descriptions: readonly string[],
): WrittenGroup {
  const words = { topic: TOPICS[topic]!.title, place: dice.pick(PLACES) };
  return {
    restId: createSnowflakeId(dice, TWEETS_BEGIN - (index + 1) * 90 * MINUTE + dice.integerBelow(90 * MINUTE)),
    name: fillTemplate(dice.pick(names), words),
    description: fillTemplate(dice.pick(descriptions), words),
    topic,
  };
}

function memberships(
  people: People,
  lists: readonly WrittenGroup[],
  dice: SeededRandom,
): ReadonlyMap<number, readonly number[]> {
  const listsOf = new Map<number, number[]>();
  const ofTopic = TOPICS.map((_, topic) => writers(people, topic));
  for (const [list, { topic }] of lists.entries()) {
    const candidates = ofTopic[topic]!;
    const members = new Set<number>();
    for (let left = dice.integerBetween(6, 24); left > 0; left -= 1)
      members.add(candidates[randomRank(dice, candidates.length)]!);
    for (const member of members) listsOf.set(member, [...(listsOf.get(member) ?? []), list]);
  }
  return listsOf;
}
