import { DAY, MINUTE } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';

/** The time range of worlds, which does not depend on the clock. */

/** The end of a world, at which all its rows are "seen". */
export const WORLD_END = Date.UTC(2026, 0, 1);
export const TWEETS_BEGIN = Date.UTC(2023, 0, 1);
const ACCOUNTS_BEGIN = Date.UTC(2007, 0, 1);
const SNOWFLAKES_BEGIN = Date.UTC(2016, 0, 1);
const SNOWFLAKE_EPOCH = 1_288_834_974_657;
export const LAST_TWEET = WORLD_END - 60 * MINUTE;

/** Relative number of tweets in each hour of the day. */
const HOURS = [5, 3, 2, 1, 1, 1, 2, 3, 5, 6, 6, 6, 7, 7, 6, 6, 6, 7, 8, 9, 10, 10, 9, 7];
const HOURS_TOTAL = HOURS.reduce((sum, hour) => sum + hour, 0);

/**
 * Returns the time at which the share `x` in [0, 1) of all tweets is written. The rate grows over the years and is low
 * at night.
 */
export function tweetTimeAt(x: number): number {
  const elapsed = Math.sqrt(0.25 + 2 * x) - 0.5;
  const at = TWEETS_BEGIN + elapsed * (LAST_TWEET - TWEETS_BEGIN);
  const day = Math.floor(at / DAY) * DAY;
  return Math.min(LAST_TWEET, Math.floor(day + timeOfDay((at - day) / DAY) * DAY));
}

/** Returns the share of the day that has passed when the share `dayShare` of its tweets is written. */
export function timeOfDay(dayShare: number): number {
  let remaining = dayShare * HOURS_TOTAL;
  let hour = 0;
  while (hour < HOURS.length - 1 && remaining >= HOURS[hour]!) {
    remaining -= HOURS[hour]!;
    hour += 1;
  }
  return (hour + remaining / HOURS[hour]!) / HOURS.length;
}

/** Returns the creation time of an account, before `until`. */
export const randomAccountTime = (random: SeededRandom, until: number): number =>
  Math.floor(ACCOUNTS_BEGIN + random.float() * (until - ACCOUNTS_BEGIN));

/** Returns an id that grows with time, like those of the service. Different milliseconds never share an id. */
export const createSnowflakeId = (random: SeededRandom, at: number): string =>
  String((BigInt(at - SNOWFLAKE_EPOCH) << 22n) | BigInt(random.integerBelow(1 << 22)));

/** Returns the id of an account: short for early accounts, a snowflake for later ones. It may already be in use. */
export function createAccountId(random: SeededRandom, openedAt: number): string {
  if (openedAt >= SNOWFLAKES_BEGIN) return createSnowflakeId(random, openedAt);
  const age = (openedAt - ACCOUNTS_BEGIN) / (SNOWFLAKES_BEGIN - ACCOUNTS_BEGIN);
  return String(Math.floor(age * age * age * 4_400_000_000) + 12 + random.integerBelow(100_000));
}
