import { DAY, MINUTE } from '#base/clock.ts';
import { createShuffledCycle, createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import type { People } from './generate-people.ts';
import type { WrittenTweet } from './generate-tweets.ts';
import { randomRank } from './power-law.ts';
import { createSnowflakeId, TWEETS_BEGIN, WORLD_END } from './times-and-ids.ts';
import { fillTemplate } from './tweet-texts.ts';
import {
  COMMUNITY_DESCRIPTIONS,
  COMMUNITY_NAMES,
  LIST_DESCRIPTIONS,
  LIST_NAMES,
  PLACES,
  TOPICS,
} from './vocabulary.ts';

/** A community or a list. Its key in the store is its index plus 1. */
export interface WrittenGroup {
  readonly restId: string;
  readonly name: string;
  readonly description: string;
  readonly topic: number;
}

export type Groups = ReturnType<typeof createGroups>;

/** Lists show tweets of their members from this time on. */
const LISTED_SINCE = WORLD_END - 365 * DAY;

/** One per 100 accounts, at least three in a world of 50 or more. */
const groupCount = (people: number): number =>
  people >= 50 ? Math.max(3, Math.floor(people / 100)) : Math.min(people, 1);

/** Creates communities by topic, in which accounts of the topic post, and lists of accounts of a topic. */
export function createGroups(people: People, seed: number) {
  const random = createSeededRandom(seed, 'groups');
  const postRandom = createSeededRandom(seed, 'community posts');
  const nextTopic = createShuffledCycle(
    random,
    [...TOPICS.keys()].filter((topic) => writersOfTopic(people, topic).length > 0),
  );
  const createGroup = (index: number, names: readonly string[], descriptions: readonly string[]): WrittenGroup => {
    const topic = nextTopic();
    const values = { topic: TOPICS[topic]!.title, place: random.pick(PLACES) };
    return {
      restId: createSnowflakeId(random, TWEETS_BEGIN - (index + 1) * 90 * MINUTE + random.integerBelow(90 * MINUTE)),
      name: fillTemplate(random.pick(names), values),
      description: fillTemplate(random.pick(descriptions), values),
      topic,
    };
  };
  const createAll = (names: readonly string[], descriptions: readonly string[]): readonly WrittenGroup[] =>
    Array.from({ length: groupCount(people.size) }, (_, i) => createGroup(i, names, descriptions));
  const communities = createAll(COMMUNITY_NAMES, COMMUNITY_DESCRIPTIONS);
  const lists = createAll(LIST_NAMES, LIST_DESCRIPTIONS);
  const communitiesByTopic = TOPICS.map((_, topic) =>
    [...communities.keys()].filter((i) => communities[i]!.topic === topic),
  );
  const listsOf = assignListMembers(people, lists, random);
  return {
    communities,
    lists,
    /** Returns the indices of the groups that show a tweet; none show replies. */
    findGroups(tweet: WrittenTweet): Record<'communities' | 'lists', readonly number[]> {
      if (tweet.parent) return { communities: [], lists: [] };
      const candidates = communitiesByTopic[people.topics[tweet.author]!]!;
      return {
        communities:
          candidates.length > 0 && postRandom.chance(0.3)
            ? [candidates[randomRank(postRandom, candidates.length)]!]
            : [],
        lists: tweet.createdAt >= LISTED_SINCE ? (listsOf.get(tweet.author) ?? []) : [],
      };
    },
  };
}

const writersOfTopic = (people: People, topic: number): Uint32Array =>
  people.peopleByTopic[topic]!.filter((i) => people.tweetCounts[i]! > 0);

function assignListMembers(
  people: People,
  lists: readonly WrittenGroup[],
  random: SeededRandom,
): ReadonlyMap<number, readonly number[]> {
  const listsOf = new Map<number, number[]>();
  for (const [list, { topic }] of lists.entries()) {
    const candidates = writersOfTopic(people, topic);
    const members = new Set<number>();
    for (let remaining = random.integerBetween(6, 24); remaining > 0; remaining -= 1)
      members.add(candidates[randomRank(random, candidates.length)]!);
    for (const member of members) listsOf.set(member, [...(listsOf.get(member) ?? []), list]);
  }
  return listsOf;
}
