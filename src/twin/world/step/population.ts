import type { SeededRandom } from '#base/seeded-random.ts';
import { normaliseHashtag } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';
import { createHandle } from '#twin/world/generate-people.ts';
import { LANGUAGES } from '#twin/world/languages.ts';
import { type WritingStyle, writingStyleOf } from '#twin/world/tweet-texts.ts';
import { TOPICS } from '#twin/world/vocabulary.ts';
import { createWeightedSampler, type WeightedSampler } from '#twin/world/weighted-sampler.ts';

export interface Account {
  readonly id: number;
  readonly restId: string;
  screenName: string;
  readonly name: string;
  readonly followers: number;
  readonly following: number;
  readonly statuses: number;
}

export type Population = ReturnType<typeof createPopulation>;

const MAX_TRIES = 20;
const ENGLISH = 0;
const TOPIC_OF_TAG: ReadonlyMap<string, number> = new Map(
  TOPICS.flatMap(({ tags }, topic) => tags.map((tag) => [normaliseHashtag(tag), topic] as const)),
);

const ACCOUNTS = `
  select id, rest_id as restId, screen_name as screenName, coalesce(name, '') as name,
    coalesce(followers_count, 0) as followers, coalesce(following_count, 0) as following,
    coalesce(statuses_count, 0) as statuses
  from users where screen_name is not null order by id`;

const TAGS = `
  select tag from tweets t cross join tweet_hashtags h on h.tweet_id = t.id where t.author_id = ?
  group by tag order by count(*) desc, tag`;

/** Reads the accounts of a world, and draws accounts at random. Suspended accounts are not drawn. */
export function createPopulation({ $client }: Db) {
  const accounts = $client.prepare<[], Account>(ACCOUNTS).all();
  const byId = new Map(accounts.map((account) => [account.id, account]));
  const handles = new Set(accounts.map(({ screenName }) => screenName.toLowerCase()));
  const suspended = new Set<Account>();
  const prominent = new Set(
    accounts.toSorted((a, b) => b.followers - a.followers || a.id - b.id).slice(0, countProminent(accounts.length)),
  );
  const samplerOf = (weight: (account: Account) => number): WeightedSampler =>
    createWeightedSampler(Uint32Array.from(accounts, weight));
  const samplers = {
    /** By the number of tweets. */
    writers: samplerOf(({ statuses }) => statuses),
    /** By the number of followed accounts. */
    followers: samplerOf(({ following }) => following),
    /** By the number of followers. */
    followees: samplerOf(({ followers }) => followers),
  };
  const findTags = $client.prepare<[number], string>(TAGS).pluck();

  function drawUntil(draw: () => Account | undefined): Account | undefined {
    for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
      const account = draw();
      if (account && !suspended.has(account)) return account;
    }
    return undefined;
  }

  return {
    size: accounts.length,
    find: (id: number): Account | undefined => byId.get(id),
    draw: (random: SeededRandom): Account | undefined =>
      drawUntil(() => accounts[random.integerBelow(accounts.length)]),
    /** Draws an account that is neither prominent nor in `excluded`. */
    drawOrdinary: (random: SeededRandom, excluded: ReadonlySet<Account>): Account | undefined =>
      drawUntil(() => {
        const account = accounts[random.integerBelow(accounts.length)]!;
        return prominent.has(account) || excluded.has(account) ? undefined : account;
      }),
    drawBy: (role: keyof typeof samplers, random: SeededRandom): Account | undefined =>
      samplers[role].totalWeight === 0 ? undefined : drawUntil(() => accounts[samplers[role].draw(random)]),
    suspend(account: Account): void {
      suspended.add(account);
      handles.delete(account.screenName.toLowerCase());
    },
    /** Gives an account a new handle, or `freeHandle`. Returns the earlier handle. */
    rename(account: Account, random: SeededRandom, freeHandle?: string): string {
      const earlier = account.screenName;
      let screenName = freeHandle ?? createHandle(random, givenNameOf(account, random));
      while (handles.has(screenName.toLowerCase()))
        screenName = `${screenName.slice(0, 11)}${random.integerBetween(1, 9999)}`;
      handles.delete(earlier.toLowerCase());
      handles.add(screenName.toLowerCase());
      account.screenName = screenName;
      return earlier;
    },
    /** The language of the account's name, and the topic of its most used hashtag. */
    styleOf(account: Account): WritingStyle {
      const topic = findTags
        .all(account.id)
        .map((tag) => TOPIC_OF_TAG.get(tag))
        .find((one) => one !== undefined);
      return writingStyleOf(languageOf(account), topic ?? account.id % TOPICS.length);
    },
  };
}

/**
 * Returns the number of prominent accounts: those with the most followers, which keep their handles and are not suspended. It is
 * 1 % of the accounts, or ten in a small world.
 */
const countProminent = (accounts: number): number =>
  Math.max(Math.ceil(accounts / 100), Math.min(10, Math.floor(accounts / 5)));

function languageOf({ name }: Account): number {
  const found = LANGUAGES.findIndex(
    ({ given, family }) => given.some(([word]) => name.includes(word)) && family.some((word) => name.includes(word)),
  );
  return found === -1 ? ENGLISH : found;
}

function givenNameOf(account: Account, random: SeededRandom): string {
  const { given } = LANGUAGES[languageOf(account)]!;
  return (given.find(([word]) => account.name.includes(word)) ?? random.pick(given))[1];
}
