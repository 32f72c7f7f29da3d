/** Pages of follower lists as a worker stores them: 32 lists at once, about half of the people known already. */

export const USERS_PER_PAGE = 100;
export const LISTS = 32;
/** Pages of a list, after which another account's list takes its place. */
const PAGES_PER_LIST = 100;

export interface User {
  readonly restId: string;
  readonly screenName: string;
  readonly name: string;
  readonly description: string;
  readonly profileImageUrl: string;
  readonly verified: 0 | 1;
  readonly followersCount: number;
  readonly followingCount: number;
}

export interface Page {
  readonly list: number;
  readonly at: number;
  readonly target: User;
  readonly users: readonly User[];
}

/** The same page with people as numbers in order of first sight, for tests of edges alone. */
export interface EdgePage {
  readonly list: number;
  readonly at: number;
  readonly target: number;
  readonly followers: readonly number[];
}

/** Seeded numbers in [0, 1): mulberry32. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Pages without end. Whoever is known already is drawn by a power law: the first seen are the most popular. */
export function* edgePages(seed = 1): Generator<EdgePage> {
  const next = random(seed);
  let people = 0;
  const lists = Array.from({ length: LISTS }, () => ({ target: ++people, seen: new Set<number>(), pages: 0 }));
  for (let n = 0; ; n++) {
    const number = n % LISTS;
    if (lists[number]!.pages === PAGES_PER_LIST) lists[number] = { target: ++people, seen: new Set(), pages: 0 };
    const list = lists[number]!;
    list.pages++;
    const followers: number[] = [];
    while (followers.length < USERS_PER_PAGE) {
      const follower = next() < 0.5 ? ++people : 1 + Math.floor(people * next() ** 3);
      if (list.seen.has(follower)) continue;
      list.seen.add(follower);
      followers.push(follower);
    }
    yield { list: number, at: 1_700_000_000_000 + n * 40, target: list.target, followers };
  }
}

/** The first `count` pages, with people as the service describes them. */
export function userPages(count: number, seed = 1): Page[] {
  const people: User[] = [];
  const describe = describer(seed + 1);
  const person = (number: number): User => (people[number] ??= describe());
  const pages: Page[] = [];
  for (const { list, at, target, followers } of edgePages(seed)) {
    pages.push({ list, at, target: person(target), users: followers.map(person) });
    if (pages.length === count) return pages;
  }
  return pages;
}

/** The body of a page, about 44 KB of JSON. */
export function bodyOf(page: Page): Buffer {
  const followers = page.users.map((user) => ({
    id: user.restId,
    rest_id: user.restId,
    name: user.name,
    screen_name: user.screenName,
    description: user.description,
    profile_image_url: user.profileImageUrl,
    verified: user.verified === 1,
    followers_count: user.followersCount,
    following_count: user.followingCount,
  }));
  return Buffer.from(JSON.stringify({ user: { rest_id: page.target.restId }, followers, next_cursor: `${page.at}` }));
}

/** The person of a number, always the same: for crawls too large to be kept. */
export function personOf(number: number): User {
  reseed(number);
  return described();
}
let reseed: (seed: number) => void;
const described = describer(0, (set) => (reseed = set));

function describer(seed: number, hand?: (reseed: (seed: number) => void) => void): () => User {
  let next = random(seed);
  hand?.((other) => (next = random(other)));
  const below = (n: number): number => Math.floor(next() * n);
  const letters = (n: number): string =>
    Array.from({ length: n }, () => 'abcdefghijklmnopqrstuvwxyz0123456789_'[below(37)]).join('');
  const digits = (n: number): string => Array.from({ length: n }, () => below(10)).join('');
  const words = Array.from({ length: 4000 }, (_, i) =>
    i % 40 === 0 ? ['🚀', '日本', '✨', 'мир'][below(4)]! : letters(2 + below(8)),
  );
  const text = (n: number): string => Array.from({ length: n }, () => words[Math.floor(4000 * next() ** 2)]).join(' ');
  return () => ({
    restId: `1${digits(18)}`,
    screenName: letters(6 + below(9)),
    name: text(2),
    description: text(8 + below(16)),
    profileImageUrl: `https://pbs.example.com/profile_images/1${digits(18)}/${letters(8)}_normal.jpg`,
    verified: next() < 0.05 ? 1 : 0,
    followersCount: Math.floor(10 / (next() + 0.00001)),
    followingCount: below(2000),
  });
}
