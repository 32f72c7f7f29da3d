import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus';

/** The pages of all variants: follower lists, generated from a seed. */

export interface WorkloadSize {
  readonly targets: number;
  readonly pagesPerTarget: number;
  readonly perPage: number;
  readonly seed: number;
  /** Offset of its people and targets; workloads with distant offsets share none. */
  readonly from?: number;
  /** The share of people, drawn at random, who have another number of followers and another description. */
  readonly changedShare?: number | undefined;
}

export interface Workload {
  readonly targets: readonly string[];
  /** By target, then by page: the JSON of the answer. */
  readonly pages: readonly (readonly string[])[];
  readonly cursors: readonly (readonly string[])[];
  readonly edges: number;
  /** Number of distinct people on the pages, without targets. */
  readonly people: number;
}

export interface Person {
  readonly id: string;
  readonly name: string;
  readonly screen_name: string;
  readonly profile_image_url: string;
  readonly description: string;
  readonly followers_count: number;
  readonly following_count: number;
  readonly verified: boolean;
}

const FIRST = [
  'Ana',
  'Bao',
  'Chidi',
  'Dana',
  '恵美',
  'Farid',
  'Gül',
  '하준',
  'Ines',
  'Jürgen',
  'Kaito',
  'Лена',
  'Mei 🌸',
];
const LAST = [
  'Almeida',
  'Bauer',
  'Chen',
  'Dlamini',
  'Eriksson',
  '藤田',
  'García',
  'Haddad',
  'Ivanova',
  'Johnson',
  'Kim',
];
const WORDS = [
  'coffee',
  'maps',
  'and',
  'open',
  'data',
  'runner',
  'views',
  'are',
  'my',
  'own',
  'writing',
  'about',
  'cities',
  'music',
  'nurse',
  'father',
  'of',
  'two',
  'engineer',
  'learning',
  'every',
  'day',
  'tea',
  'over',
  'politics',
  '地図',
  '写真',
  '음악',
  'книги',
  '🚲',
  '🌍',
  '📚',
  'he/him',
  'she/her',
  '|',
  '·',
  'ex-',
  'PhD',
  'bei',
  'depuis',
];

/** Half of the entries of a page are people of earlier pages, drawn by a power law. */
const KNOWN_PROBABILITY = 0.515;
const RANK_EXPONENT = 3;
const MAX_DRAWS = 16;

const CHANGED_SEED = 500_000_000;
/** An odd number near 2^32 divided by the golden ratio: products with adjacent numbers are far apart. */
const SEED_STEP = 2_654_435_769;

export interface SeededGenerator {
  /** In [0, 1). */
  float(): number;
  below(limit: number): number;
  pick<T>(from: readonly T[]): T;
}

export function createSeededGenerator(seed: number): SeededGenerator {
  const generator = xoroshiro128plus(seed);
  // The first numbers of adjacent seeds are similar.
  for (let i = 0; i < 4; i++) generator.next();
  const float = (): number => (generator.next() >>> 0) / 0x1_0000_0000;
  const below = (limit: number): number => Math.floor(float() * limit);
  return { float, below, pick: (from) => from[below(from.length)]! };
}

const ID_SPACE = 9_000_000_000_000_000_000n - 1_000_000_000_000_000_000n;
const ID_STEP = 6_364_136_223_846_793_007n;

/** The id of the nth person or target: 19 digits, unordered and unique. */
export const idAt = (index: number): string =>
  String(1_000_000_000_000_000_000n + (((BigInt(index) + 1n) * ID_STEP) % ID_SPACE));

/** Ids of targets, apart from those of people. */
export const targetAt = (index: number): string => idAt(1_000_000_000 + index);

interface Population {
  readonly size: number;
  /** Draws the next entry of a list: a new person, or a known one by a power law. */
  draw(list: Set<number>): number;
}

function createPopulation(seed: number): Population {
  const random = createSeededGenerator(seed);
  let size = 0;
  function drawKnown(list: Set<number>): number | undefined {
    for (let i = 0; i < MAX_DRAWS; i++) {
      const index = Math.floor(size * random.float() ** RANK_EXPONENT);
      if (index < size && !list.has(index)) return index;
    }
    return undefined;
  }
  return {
    get size() {
      return size;
    },
    draw(list) {
      const index = (random.float() < KNOWN_PROBABILITY ? drawKnown(list) : undefined) ?? size++;
      list.add(index);
      return index;
    },
  };
}

/** Returns the nth person, deterministically. */
export function personAt(index: number): Person {
  const random = createSeededGenerator(index);
  const id = idAt(index);
  const words = Array.from({ length: 6 + random.below(11) }, () => random.pick(WORDS));
  return {
    id,
    name: `${random.pick(FIRST)} ${random.pick(LAST)}`,
    screen_name: `${random.pick(WORDS).replaceAll(/\W/g, '') || 'user'}_${id.slice(-9)}`,
    profile_image_url: `https://img.example.org/profile_images/${id}/${id.slice(3, 11)}_normal.jpg`,
    description: words.join(' '),
    followers_count: Math.floor(10 / (random.float() + 1e-6)),
    following_count: random.below(2000),
    verified: random.float() < 0.02,
  };
}

/** Returns the nth person, or its changed version if it is one of the drawn share. */
function personOf(index: number, changedShare: number): Person {
  const person = personAt(index);
  // Adjacent seeds would draw neighbours, who often are on one page.
  const seed = Math.imul(index + CHANGED_SEED, SEED_STEP);
  if (changedShare === 0 || createSeededGenerator(seed).float() >= changedShare) return person;
  return { ...person, followers_count: person.followers_count + 1, description: `${person.description} 🆕` };
}

export function createWorkload(size: WorkloadSize): Workload {
  const { pagesPerTarget, perPage, seed, from = 0, changedShare = 0 } = size;
  const population = createPopulation(seed);
  const random = createSeededGenerator(seed + 1);
  const targets = Array.from({ length: size.targets }, (_, index) => targetAt(from + index));
  const cursors = targets.map((_, target) =>
    Array.from({ length: pagesPerTarget }, (_, page) => (page === 0 ? '' : cursorOf(random, target, page))),
  );
  const entries: string[] = [];
  const lists = targets.map(() => new Set<number>());
  const pages: string[][] = targets.map(() => []);
  // In the order of concurrent crawls.
  for (let page = 0; page < pagesPerTarget; page++) {
    for (const [target, list] of lists.entries()) {
      const shown = Array.from({ length: perPage }, () => {
        const index = population.draw(list);
        return (entries[index] ??= entryOf(personOf(from + index, changedShare)));
      });
      pages[target]!.push(pageOf(targets[target]!, shown, cursors[target]![page + 1]));
    }
  }
  return { targets, pages, cursors, edges: size.targets * pagesPerTarget * perPage, people: population.size };
}

/** A page of one of several concurrent lists. */
export interface ListPage {
  readonly target: string;
  /** The index of the list; when it ends, another list takes its place. */
  readonly place: number;
  /** The cursor of the page and the next one; null at the start and the end of a list. */
  readonly from: string | null;
  readonly to: string | null;
  readonly body: unknown;
}

/** Lists whose pages are created as they are read: each starts with its first page and has as many as given. */
export function createOpenLists({ pagesPerList, seed }: { pagesPerList: number; seed: number }) {
  const population = createPopulation(seed);
  const lists = new Map<string, { readonly shown: Set<number>; page: number; text: string; next: string | null }>();
  const entries: string[] = [];

  function createEntry(index: number): string {
    if (index >= KEPT_ENTRIES) return entryOf(personAt(index));
    return (entries[index] ??= entryOf(personAt(index)));
  }

  return {
    /** Returns the JSON of a page, which is the page that was read last or the one after it, and its next cursor. */
    read(target: string, cursor: string | null): { readonly text: string; readonly next: string | null } {
      const list = lists.get(target) ?? { shown: new Set(), page: -1, text: '', next: null };
      const page = cursor === null ? 0 : Number(cursor.split('.')[1]);
      if (page === list.page) return list;
      list.page = page;
      list.next = page + 1 === pagesPerList ? null : `${target}.${page + 1}`;
      const shown = Array.from({ length: PAGE_SIZE }, () => createEntry(population.draw(list.shown)));
      list.text = pageOf(target, shown, list.next ?? undefined);
      if (list.next === null) lists.delete(target);
      else lists.set(target, list);
      return list;
    },
  };
}

/** Reads lists concurrently without end, a page of each per turn. */
export function* generatePages(size: {
  lists: number;
  pagesPerList: number;
  seed: number;
}): Generator<ListPage[], never> {
  const source = createOpenLists(size);
  let startedLists = 0;
  const startList = (): { target: string; from: string | null } => ({ target: targetAt(startedLists++), from: null });
  const places = Array.from({ length: size.lists }, startList);
  for (;;) {
    yield places.map(({ target, from }, place) => {
      const { text, next: to } = source.read(target, from);
      places[place] = to === null ? startList() : { target, from: to };
      return { target, place, from, to, body: JSON.parse(text) as unknown };
    });
  }
}

const PAGE_SIZE = 100;
/** Most entries of a page are those of people who were drawn early. */
const KEPT_ENTRIES = 2 ** 17;

const cursorOf = (random: SeededGenerator, target: number, page: number): string =>
  Buffer.from(`${random.below(1e9)}.${target}.${page}.${random.below(1e9)}`).toString('base64url');

const entryOf = ({ id, ...rest }: Person): string =>
  JSON.stringify({ entryId: `user-${id}`, sortIndex: id, content: { user: { id, rest_id: id, ...rest } } });

function pageOf(target: string, entries: readonly string[], cursor: string | undefined): string {
  const user = JSON.stringify({
    id: target,
    rest_id: target,
    name: `目標 ${target}`,
    screen_name: `t_${target.slice(-9)}`,
  });
  const next = cursor === undefined ? '' : `,"cursor":${JSON.stringify({ value: cursor, cursorType: 'Bottom' })}`;
  const instruction = `{"entries":[${entries.join(',')}]${next}}`;
  return `{"data":{"user":${user},"followers":{"timeline":{"instructions":[${instruction}]}}}}`;
}
