import { DAY, MINUTE } from '#base/clock.ts';
import type { SeededRandom } from '#base/seeded-random.ts';

/** Existence from a time until (excluding) another. */
interface Span {
  readonly from: number;
  until: number;
}

export interface Account extends Span {
  readonly id: string;
  readonly createdAt: number;
  handle: string;
  name: string;
  description: string;
  /** Number of changes of its handle. */
  version: number;
  variant: number;
  pinned: string | undefined;
  /** Tweets that were ever pinned and may have been out of place. */
  readonly everPinned: Set<string>;
  /** Former handles with their end. */
  readonly formerHandles: { readonly handle: string; readonly until: number }[];
}

export interface Post extends Span {
  readonly id: string;
  readonly author: string;
  text: string;
  readonly createdAt: number;
  media: number;
  readonly replyTo: Post | undefined;
  readonly community: string | undefined;
  /** It was deleted and restored. */
  readonly isBack: boolean;
  likes: number;
}

/** One account follows another. A later follow is another edge. */
export interface Edge extends Span {
  readonly id: number;
  readonly follower: string;
  readonly followee: string;
}

export interface Group {
  readonly id: string;
  name: string;
  readonly members: string[];
}

/** The ground truth of a simulation, present and past, in plain objects. */
export interface Truth {
  readonly accounts: Account[];
  readonly posts: Post[];
  readonly edges: Edge[];
  readonly communities: Group[];
  readonly lists: Group[];
}

export interface Size {
  readonly accounts: number;
  readonly posts: number;
  readonly edges: number;
  readonly groups: number;
  /** Number of past days with posts; 60 by default. */
  readonly days?: number | undefined;
}

const FOREVER = Infinity;
const WORDS = ['river', 'tram', 'budget', 'moon', 'harvest', '#cop', '#tram', 'of', 'the', 'and'];

export const isThere = ({ from, until }: Span, at: number): boolean => from <= at && at < until;
/** Returns whether something existed between two times. */
export const wasThere = ({ from, until }: Span, first: number, last: number): boolean => from <= first && last < until;

/** Every other handle has upper case. */
const spelled = (handle: string, n: number): string => (n % 2 === 0 ? handle : handle.toUpperCase());

export function createTruth(size: Size, random: SeededRandom, now: number): Truth {
  const truth: Truth = { accounts: [], posts: [], edges: [], communities: [], lists: [] };
  for (let i = 0; i < size.accounts; i++) {
    truth.accounts.push({
      id: String(1e3 + i),
      handle: spelled(`user${i}`, i),
      name: `User ${i}`,
      description: words(random, 3),
      createdAt: now - 900 * DAY + i * DAY,
      version: 0,
      variant: 0,
      from: 0,
      until: FOREVER,
      pinned: undefined,
      everPinned: new Set<string>(),
      formerHandles: [],
    });
  }
  for (let i = 0; i < size.groups; i++) {
    truth.communities.push({ id: String(7000 + i), name: `Community ${i}`, members: [] });
    const members = truth.accounts.filter(() => random.chance(0.5)).map(({ id }) => id);
    truth.lists.push({ id: String(8000 + i), name: `List ${i}`, members });
  }
  const times = Array.from(
    { length: size.posts },
    () => now - random.integerBetween(1, (size.days ?? 60) * 24 * 60) * MINUTE,
  ).toSorted((a, b) => a - b);
  for (const [i, time] of times.entries()) {
    // Some share a time: an interval must not cover its bounds.
    post(truth, random, i > 0 && random.chance(0.2) ? truth.posts.at(-1)!.createdAt : time, 0);
  }
  for (let i = 0; i < size.edges; i++) follow(truth, random.integerBelow(1e6), random.integerBelow(1e6), 0);
  for (const account of truth.accounts) if (random.chance(0.5)) pin(truth, account, random.integerBelow(1e6), 0);
  return truth;
}

function words(random: SeededRandom, most: number): string {
  return Array.from({ length: random.integerBetween(1, most) }, () => random.pick(WORDS)).join(' ');
}

function post(truth: Truth, random: SeededRandom, createdAt: number, from: number, by?: Account): void {
  const author = by ?? random.pick(truth.accounts);
  const others = truth.posts.filter((other) => isThere(other, Math.max(from, createdAt)));
  truth.posts.push({
    id: String(2e4 + truth.posts.length),
    author: author.id,
    text: `${words(random, 6)} @${random.pick(truth.accounts).handle} ${truth.posts.length}`,
    createdAt,
    from,
    until: FOREVER,
    media: random.chance(0.2) ? random.integerBetween(1, 2) : 0,
    replyTo: others.length > 0 && random.chance(0.3) ? random.pick(others) : undefined,
    community: truth.communities.length > 0 && random.chance(0.3) ? random.pick(truth.communities).id : undefined,
    isBack: false,
    likes: random.integerBelow(50),
  });
}

function follow(truth: Truth, a: number, b: number, now: number): void {
  const { accounts, edges } = truth;
  // Few accounts have many followers: lists of several pages.
  const followee = accounts[b % Math.max(1, Math.ceil(accounts.length / 3))]!.id;
  const follower = accounts[a % accounts.length]!.id;
  if (follower === followee) return;
  if (edges.some((edge) => edge.follower === follower && edge.followee === followee && isThere(edge, now))) return;
  edges.push({ id: edges.length, follower, followee, from: now, until: FOREVER });
}

function pin(truth: Truth, account: Account, a: number, now: number): void {
  const own = truth.posts.filter(
    ({ author, replyTo, ...span }) => author === account.id && !replyTo && isThere(span, now),
  );
  account.pinned = own[a % own.length]?.id;
  if (account.pinned !== undefined) account.everPinned.add(account.pinned);
}

function renameAccount(account: Account, handle: string, now: number): void {
  account.formerHandles.push({ handle: account.handle, until: now });
  account.version += 1;
  account.handle = handle;
}

/** Returns the item of a list by a plan's number; undefined for some numbers. */
export const itemAt = <T>(list: readonly T[], n: number): T | undefined => list[n % (list.length + (n > 30 ? 1 : 0))];

/** Returns the account that had a handle between two times. */
export function holderOf(truth: Truth, handle: string, first: number, last: number): Account | undefined {
  return truth.accounts.find((account) => {
    if (!wasThere(account, first, last)) return false;
    const names = [...account.formerHandles, { handle: account.handle, until: Infinity }];
    return names.some(
      (one, i) => one.handle.toLowerCase() === handle && (names[i - 1]?.until ?? 0) <= first && last < one.until,
    );
  });
}

export const CHANGES = {
  post: (truth, { random, now, a }) => post(truth, random, now, now, truth.accounts[a % truth.accounts.length]!),
  /** More tweets than one or two pages show. */
  burst(truth, { random, now, a }) {
    const by = truth.accounts[a % Math.min(2, truth.accounts.length)]!;
    for (let i = 0; i < 7; i++) post(truth, random, now - 7 + i, now, by);
  },
  delete(truth, { a, now }) {
    const there = truth.posts.filter((one) => isThere(one, now));
    const gone = there[a % there.length];
    if (gone) gone.until = now;
  },
  deleteNew(truth, { a, now }) {
    const there = truth.posts
      .filter((one) => isThere(one, now))
      .toSorted((one, other) => one.createdAt - other.createdAt);
    const gone = there.at(-1 - (a % 3));
    if (gone) gone.until = now;
  },
  restore({ posts }, { a, now }) {
    const gone = posts.filter(
      ({ id, until }) => until <= now && !posts.some((one) => one.id === id && now < one.until),
    );
    const one = gone[a % gone.length];
    if (one) posts.push({ ...one, from: now, until: FOREVER, isBack: true });
  },
  follow: (truth, { a, b, now }) => follow(truth, a, b, now),
  unfollow(truth, { a, now }) {
    const there = truth.edges.filter((edge) => isThere(edge, now));
    const gone = there[a % there.length];
    if (gone) gone.until = now;
  },
  rename(truth, { a, now }) {
    const account = truth.accounts[a % truth.accounts.length]!;
    renameAccount(account, spelled(`user${account.id}v${account.version + 1}`, Number(account.id)), now);
  },
  /** An account takes the former handle of another. */
  takeOver(truth, { a, b, now }) {
    const [from, to] = [truth.accounts[a % truth.accounts.length]!, truth.accounts[b % truth.accounts.length]!];
    if (from === to) return;
    const { handle } = from;
    renameAccount(from, spelled(`user${from.id}v${from.version + 1}`, Number(from.id)), now);
    renameAccount(to, handle, now);
  },
  /** Alternates between two states, so that old values return. */
  edit(truth, { a }) {
    const account = truth.accounts[a % truth.accounts.length]!;
    account.variant = 1 - account.variant;
    account.name = `User ${account.id}, ${account.variant}`;
    account.description = `description ${account.variant}`;
  },
  like(truth, { a, b }) {
    const liked = truth.posts[a % truth.posts.length];
    if (!liked) return;
    liked.likes += 1 + (b % 3);
    // Some are also edited, or gain or lose media.
    if (b % 3 === 0) liked.media = liked.media > 0 ? 0 : 1;
    if (b % 4 === 0) liked.text = liked.text.endsWith(' edited') ? liked.text.slice(0, -7) : `${liked.text} edited`;
  },
  pin(truth, { a, b, now }) {
    const account = truth.accounts[a % truth.accounts.length]!;
    if (account.pinned === undefined) pin(truth, account, b, now);
    else account.pinned = undefined;
  },
  suspend(truth, { a, now }) {
    const account = truth.accounts[a % truth.accounts.length]!;
    if (isThere(account, now)) account.until = now;
  },
} as const satisfies Record<
  string,
  (truth: Truth, change: { a: number; b: number; random: SeededRandom; now: number }) => void
>;

export type ChangeName = keyof typeof CHANGES;
