import { createShuffledCycle, createSeededRandom, type SeededRandom } from '../seeded-random.ts';
import { createAccountId, randomAccountTime, TWEETS_BEGIN, WORLD_END } from './era.ts';
import { LANGUAGES } from './languages.ts';
import { shareByRank } from './power-law.ts';
import { HANDLE_ENDS, HANDLE_STARTS, STARS, TOPICS } from './words.ts';

/** What somebody does: `tweetless` accounts follow and are followed, `silent` ones hardly even that. */
export const HABITS = ['active', 'tweetless', 'silent'] as const;

/** Everybody, by fame: index 0 is known to most. Only what the others must know of somebody is kept in memory. */
export interface People {
  readonly size: number;
  readonly screenNames: readonly string[];
  readonly restIds: readonly string[];
  readonly createdAt: Float64Array;
  /** Indices into LANGUAGES, TOPICS and HABITS. */
  readonly languages: Uint8Array;
  readonly topics: Uint8Array;
  readonly habits: Uint8Array;
  /** Given names, as indices into those of the language. */
  readonly givenNames: Uint8Array;
  /** How many tweets each will write. */
  readonly tweetCounts: Uint32Array;
  /** Who cares about a topic, by fame; silent accounts are left out. */
  readonly peopleByTopic: readonly Uint32Array[];
}

const TWEETS_PER_ACTIVE = 14;
/** The service itself never shows more of a timeline than this. */
const MOST_TWEETS = 3200;
/** From this size on a world has the stars and every language. */
const FULL_CAST = LANGUAGES.reduce((sum, language) => sum + language.share, 0);

/** The same size and seed give the same people. */
export function createPeople(size: number, seed: number): People {
  const dice = createSeededRandom(seed, 'people');
  const [openedAt, languages] = [new Float64Array(size), new Uint8Array(size)];
  const [topics, habits] = [new Uint8Array(size), new Uint8Array(size)];
  const nextLanguage = createShuffledCycle(
    dice,
    LANGUAGES.flatMap((language, i) => Array<number>(language.share).fill(i)),
  );
  const nextTopic = createShuffledCycle(dice, [...TOPICS.keys()]);
  const nextHabit = createShuffledCycle(dice, [
    ...Array<number>(39).fill(0),
    ...Array<number>(7).fill(1),
    ...Array<number>(4).fill(2),
  ]);
  const stars = size >= FULL_CAST ? STARS : [];
  for (let i = 0; i < size; i += 1) {
    const star = stars[i];
    languages[i] = star ? 0 : nextLanguage();
    topics[i] = star ? star.topic : nextTopic();
    habits[i] = i < 5 ? 0 : nextHabit();
    // Whoever writes was there before the first tweet.
    openedAt[i] = randomAccountTime(dice, habits[i] === 0 ? TWEETS_BEGIN : WORLD_END);
  }
  return {
    size,
    ...createHandles({ size, seed, openedAt, languages, stars: stars.map((star) => star.screenName) }),
    createdAt: openedAt,
    languages,
    topics,
    habits,
    tweetCounts: shareTweets(habits, stars.length, createSeededRandom(seed, 'activity')),
    peopleByTopic: TOPICS.map((_, topic) => members(topics, habits, topic)),
  };
}

const members = (topics: Uint8Array, habits: Uint8Array, topic: number): Uint32Array =>
  Uint32Array.from([...topics.keys()].filter((i) => topics[i] === topic && HABITS[habits[i]!] !== 'silent'));

/** Fame and diligence are two things, but stars are never idle. */
function shareTweets(habits: Uint8Array, stars: number, dice: SeededRandom): Uint32Array {
  const zeal = Float64Array.from(habits, (_, i) => (i < stars ? dice.float() * 0.04 : dice.float()));
  const active = [...habits.keys()].filter((i) => habits[i] === 0).sort((a, b) => zeal[a]! - zeal[b]! || a - b);
  const shares = shareByRank(active.length, active.length * TWEETS_PER_ACTIVE, MOST_TWEETS);
  const budgets = new Uint32Array(habits.length);
  for (const [rank, i] of active.entries()) budgets[i] = shares[rank]!;
  return budgets;
}

interface HandleOptions {
  readonly size: number;
  readonly seed: number;
  readonly openedAt: Float64Array;
  readonly languages: Uint8Array;
  readonly stars: readonly string[];
}

function createHandles(options: HandleOptions): Pick<People, 'screenNames' | 'restIds' | 'givenNames'> {
  const dice = createSeededRandom(options.seed, 'handles');
  const [names, ids] = [new Set<string>(), new Set<string>()];
  const [screenNames, restIds]: [string[], string[]] = [[], []];
  const given = new Uint8Array(options.size);
  for (let i = 0; i < options.size; i += 1) {
    const language = LANGUAGES[options.languages[i]!]!;
    given[i] = dice.integerBelow(language.given.length);
    let screenName = options.stars[i] ?? handle(dice, language.given[given[i]!]![1]);
    while (names.has(screenName.toLowerCase()))
      screenName = `${screenName.slice(0, 11)}${dice.integerBetween(1, 9999)}`;
    names.add(screenName.toLowerCase());
    screenNames.push(screenName);
    let restId = createAccountId(dice, options.openedAt[i]!);
    while (ids.has(restId)) restId = createAccountId(dice, options.openedAt[i]!);
    ids.add(restId);
    restIds.push(restId);
  }
  return { screenNames, restIds, givenNames: given };
}

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const SHAPES: readonly ((dice: SeededRandom, given: string) => string)[] = [
  (dice, given) => `${given}_${dice.pick(HANDLE_ENDS)}`,
  (dice, given) => `${dice.pick(HANDLE_STARTS)}_${given}`,
  (dice, given) => `${capital(given)}${dice.integerBetween(1950, 2015)}`,
  (dice, given) => `${given}${capital(dice.pick(HANDLE_ENDS))}`,
  (dice) => `${dice.pick(HANDLE_STARTS)}${capital(dice.pick(HANDLE_ENDS))}`,
  (dice) => `${capital(dice.pick(HANDLE_STARTS))}${capital(dice.pick(HANDLE_ENDS))}${dice.integerBetween(1, 99)}`,
  (dice, given) => `_${given}${dice.integerBetween(0, 9)}`,
  (dice, given) => `${given.slice(0, 3).toUpperCase()}_${dice.pick(HANDLE_ENDS)}`,
];

const handle = (dice: SeededRandom, given: string): string => dice.pick(SHAPES)(dice, given).slice(0, 15);
