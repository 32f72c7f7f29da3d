import { createShuffledCycle, createSeededRandom, type SeededRandom } from '#base/seeded-random.ts';
import { capitalise } from '#base/text.ts';
import { LANGUAGES } from './languages.ts';
import { shareByRank } from './power-law.ts';
import { createAccountId, randomAccountTime, TWEETS_BEGIN, WORLD_END } from './times-and-ids.ts';
import { HANDLE_SUFFIXES, HANDLE_PREFIXES, FAMOUS_ACCOUNTS, TOPICS } from './vocabulary.ts';

/** Activity of an account: `tweetless` accounts follow and are followed, `silent` ones hardly do. */
export const HABITS = ['active', 'tweetless', 'silent'] as const;

/** All accounts, most famous first. Memory holds only the values that other accounts need. */
export interface People {
  readonly size: number;
  readonly screenNames: readonly string[];
  readonly restIds: readonly string[];
  readonly createdAt: Float64Array;
  /** Indices into LANGUAGES, TOPICS and HABITS. */
  readonly languages: Uint8Array;
  readonly topics: Uint8Array;
  readonly habits: Uint8Array;
  /** Indices into the given names of the language. */
  readonly givenNames: Uint8Array;
  readonly tweetCounts: Uint32Array;
  /** The accounts of each topic, most famous first, without silent ones. */
  readonly peopleByTopic: readonly Uint32Array[];
}

const TWEETS_PER_ACTIVE = 14;
/** The service shows at most this many tweets of a timeline. */
const MAX_TWEETS = 3200;
/** The smallest world with all languages and famous accounts. */
const MIN_SIZE_WITH_FAMOUS = LANGUAGES.reduce((sum, language) => sum + language.share, 0);

/** Creates the accounts. The same size and seed give the same accounts. */
export function createPeople(size: number, seed: number): People {
  const random = createSeededRandom(seed, 'people');
  const [createdAt, languages] = [new Float64Array(size), new Uint8Array(size)];
  const [topics, habits] = [new Uint8Array(size), new Uint8Array(size)];
  const nextLanguage = createShuffledCycle(
    random,
    LANGUAGES.flatMap((language, i) => Array<number>(language.share).fill(i)),
  );
  const nextTopic = createShuffledCycle(random, [...TOPICS.keys()]);
  const nextHabit = createShuffledCycle(random, [
    ...Array<number>(39).fill(0),
    ...Array<number>(7).fill(1),
    ...Array<number>(4).fill(2),
  ]);
  const famousAccounts = size >= MIN_SIZE_WITH_FAMOUS ? FAMOUS_ACCOUNTS : [];
  for (let i = 0; i < size; i += 1) {
    const famousAccount = famousAccounts[i];
    languages[i] = famousAccount ? 0 : nextLanguage();
    topics[i] = famousAccount ? famousAccount.topic : nextTopic();
    habits[i] = i < 5 ? 0 : nextHabit();
    // Accounts that tweet exist before the first tweet.
    createdAt[i] = randomAccountTime(random, habits[i] === 0 ? TWEETS_BEGIN : WORLD_END);
  }
  return {
    size,
    ...createHandles({ seed, createdAt, languages, famousNames: famousAccounts.map(({ screenName }) => screenName) }),
    createdAt,
    languages,
    topics,
    habits,
    tweetCounts: distributeTweets(habits, famousAccounts.length, createSeededRandom(seed, 'activity')),
    peopleByTopic: TOPICS.map((_, topic) => peopleOfTopic(topics, habits, topic)),
  };
}

const peopleOfTopic = (topics: Uint8Array, habits: Uint8Array, topic: number): Uint32Array =>
  Uint32Array.from([...topics.keys()].filter((i) => topics[i] === topic && HABITS[habits[i]!] !== 'silent'));

/** Fame and activity are independent, but famous accounts are always active. */
function distributeTweets(habits: Uint8Array, famousAccounts: number, random: SeededRandom): Uint32Array {
  const activity = Float64Array.from(habits, (_, i) => (i < famousAccounts ? random.float() * 0.04 : random.float()));
  const active = [...habits.keys()].filter((i) => habits[i] === 0).sort((a, b) => activity[a]! - activity[b]! || a - b);
  const shares = shareByRank(active.length, active.length * TWEETS_PER_ACTIVE, MAX_TWEETS);
  const budgets = new Uint32Array(habits.length);
  for (const [rank, i] of active.entries()) budgets[i] = shares[rank]!;
  return budgets;
}

function createHandles({
  seed,
  createdAt,
  languages,
  famousNames,
}: Pick<People, 'createdAt' | 'languages'> & { readonly seed: number; readonly famousNames: readonly string[] }) {
  const random = createSeededRandom(seed, 'handles');
  const [names, ids] = [new Set<string>(), new Set<string>()];
  const screenNames: string[] = [];
  const givenNames = new Uint8Array(languages.length);
  for (const [i, language] of languages.entries()) {
    const { given } = LANGUAGES[language]!;
    givenNames[i] = random.integerBelow(given.length);
    let screenName = famousNames[i] ?? createHandle(random, given[givenNames[i]!]![1]);
    while (names.has(screenName.toLowerCase()))
      screenName = `${screenName.slice(0, 11)}${random.integerBetween(1, 9999)}`;
    names.add(screenName.toLowerCase());
    screenNames.push(screenName);
    let restId = createAccountId(random, createdAt[i]!);
    while (ids.has(restId)) restId = createAccountId(random, createdAt[i]!);
    ids.add(restId);
  }
  return { screenNames, restIds: [...ids], givenNames };
}

const HANDLE_FORMATS: readonly ((random: SeededRandom, given: string) => string)[] = [
  (random, given) => `${given}_${random.pick(HANDLE_SUFFIXES)}`,
  (random, given) => `${random.pick(HANDLE_PREFIXES)}_${given}`,
  (random, given) => `${capitalise(given)}${random.integerBetween(1950, 2015)}`,
  (random, given) => `${given}${capitalise(random.pick(HANDLE_SUFFIXES))}`,
  (random) => `${random.pick(HANDLE_PREFIXES)}${capitalise(random.pick(HANDLE_SUFFIXES))}`,
  (random) =>
    `${capitalise(random.pick(HANDLE_PREFIXES))}${capitalise(random.pick(HANDLE_SUFFIXES))}${random.integerBetween(1, 99)}`,
  (random, given) => `_${given}${random.integerBetween(0, 9)}`,
  (random, given) => `${given.slice(0, 3).toUpperCase()}_${random.pick(HANDLE_SUFFIXES)}`,
];

/** Returns a handle of at most 15 characters, which may already be in use. */
export const createHandle = (random: SeededRandom, given: string): string =>
  random.pick(HANDLE_FORMATS)(random, given).slice(0, 15);
