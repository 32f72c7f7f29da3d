import { createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { HABITS, type People } from './people.ts';
import { randomPareto, randomRank } from './power-law.ts';

/** An edge, as indices of people. */
export interface FollowEdge {
  readonly follower: number;
  readonly followee: number;
}

const LEAST_FOLLOWED = 11;
const MOST_FOLLOWED = 2000;
const ACQUAINTANCES = 25;

/** Everybody's edges, follower by follower: most follow the famous, some their circle, and all their acquaintances. */
export function* generateFollows(people: People, seed: number): Generator<FollowEdge> {
  const dice = createSeededRandom(seed, 'follows');
  for (let follower = 0; follower < people.size; follower += 1) {
    for (const followee of followeesOf(people, follower, dice)) yield { follower, followee };
  }
}

function followeesOf(people: People, follower: number, dice: SeededRandom): number[] {
  const wanted = appetite(people, follower, dice);
  const chosen = new Set<number>();
  // Choices repeat themselves, the more so in a small world: a bound instead of an exact number.
  for (let tries = wanted * 3; tries > 0 && chosen.size < wanted; tries -= 1) {
    const followee = somebody(people, follower, dice);
    if (followee === follower) continue;
    if (HABITS[people.habits[followee]!] === 'silent' && !dice.chance(0.03)) continue;
    chosen.add(followee);
  }
  return [...chosen].sort((a, b) => a - b);
}

function appetite(people: People, follower: number, dice: SeededRandom): number {
  if (HABITS[people.habits[follower]!] === 'silent') return dice.chance(0.3) && people.size > 1 ? 1 : 0;
  const most = Math.min(people.size - 1, MOST_FOLLOWED, Math.max(5, Math.floor(people.size / 3)));
  return Math.min(most, Math.floor(randomPareto(dice, LEAST_FOLLOWED)));
}

function somebody(people: People, follower: number, dice: SeededRandom): number {
  const draw = dice.float();
  if (draw < 0.5) return randomRank(dice, people.size);
  const circle = people.peopleByTopic[people.topics[follower]!]!;
  if (draw < 0.75 && circle.length > 0) return circle[randomRank(dice, circle.length)]!;
  // Neighbours choose each other, which makes for mutual edges.
  const distance = 1 + randomRank(dice, ACQUAINTANCES);
  const neighbour = dice.chance(0.5) ? follower + distance : follower - distance;
  return neighbour >= 0 && neighbour < people.size ? neighbour : randomRank(dice, people.size);
}
