import type { Account, Tweet } from './scripted-service.ts';
import { idsOf, people } from './support.ts';

/** How many items each list of `createLists` has. */
export const LENGTH = 15;

/** A number of accounts, `owners`, with 15 followers, 15 followed and 15 tweets each; no two share an item. */
export function createLists(count: number): { accounts: Account[]; owners: Account[]; tweets: Tweet[] } {
  const others = people(LENGTH * count, 10_000, 'other');
  const owners = people(count, 1, 'owner').map((owner, n) => {
    const own = idsOf(others.slice(LENGTH * n, LENGTH * (n + 1)));
    return { ...owner, followers: own, following: own };
  });
  const tweets = owners.flatMap(({ id }, n) => tweetsOf(id, LENGTH, 50_000 + LENGTH * n));
  return { accounts: [...owners, ...others], owners, tweets };
}

/** Original tweets of an account, one a day from 2025-01-01, with the ids `<from>` and up. */
export const tweetsOf = (author: string, count: number, from: number): Tweet[] =>
  Array.from({ length: count }, (_, day) => {
    return { id: String(from + day), author, text: `moon number${day}`, at: Date.UTC(2025, 0, 1 + day) };
  });
