import { createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { HABITS, type People } from './generate-people.ts';
import { randomPareto, randomRank } from './power-law.ts';

export interface FollowEdge {
  readonly follower: number;
  readonly followee: number;
}

const MIN_FOLLOWED = 11;
const MAX_FOLLOWED = 2000;
const NEIGHBOUR_RANGE = 25;

/** Generates the edges of each account: to famous accounts, accounts of the same topic, and neighbours. */
export function* generateFollows(people: People, seed: number): Generator<FollowEdge> {
  const random = createSeededRandom(seed, 'follows');
  for (let follower = 0; follower < people.size; follower += 1) {
    for (const followee of followeesOf(people, follower, random)) yield { follower, followee };
  }
}

function followeesOf(people: People, follower: number, random: SeededRandom): number[] {
  const followCount = drawFollowCount(people, follower, random);
  const chosen = new Set<number>();
  // Draws repeat, especially in a small world, so the number of tries is bounded.
  for (let tries = followCount * 3; tries > 0 && chosen.size < followCount; tries -= 1) {
    const followee = chooseFollowee(people, follower, random);
    if (followee === follower) continue;
    if (HABITS[people.habits[followee]!] === 'silent' && !random.chance(0.03)) continue;
    chosen.add(followee);
  }
  return [...chosen].sort((a, b) => a - b);
}

function drawFollowCount(people: People, follower: number, random: SeededRandom): number {
  if (HABITS[people.habits[follower]!] === 'silent') return random.chance(0.3) && people.size > 1 ? 1 : 0;
  const maximum = Math.min(people.size - 1, MAX_FOLLOWED, Math.max(5, Math.floor(people.size / 3)));
  return Math.min(maximum, Math.floor(randomPareto(random, MIN_FOLLOWED)));
}

function chooseFollowee(people: People, follower: number, random: SeededRandom): number {
  const draw = random.float();
  if (draw < 0.5) return randomRank(random, people.size);
  const topicMembers = people.peopleByTopic[people.topics[follower]!]!;
  if (draw < 0.75 && topicMembers.length > 0) return topicMembers[randomRank(random, topicMembers.length)]!;
  // Neighbours often choose each other, which makes mutual edges.
  const distance = 1 + randomRank(random, NEIGHBOUR_RANGE);
  const neighbour = random.chance(0.5) ? follower + distance : follower - distance;
  return neighbour >= 0 && neighbour < people.size ? neighbour : randomRank(random, people.size);
}
