import type { UserRow } from '../schema/rows.ts';
import type { Db } from '../sqlite/database.ts';

/**
 * Remembers users of lists who are in the store, to the letter, as they were seen: to see them again needs no look at
 * it. Followers of one account are often those of another, and lists are crawled again and again. What it holds is true
 * only as long as nobody else writes to users; it is forgotten when somebody may have (decision 8).
 */
export interface UserCache {
  /** The key of a user whom the store has just so. */
  find(row: UserRow, at: number): number | undefined;
  /** The store has the user as it was seen now. */
  add(row: UserRow, at: number, id: number): void;
  /** An observation of another kind changed the user's row. */
  remove(row: UserRow): void;
  /** A transaction begins: another process may have written since the last. */
  checkVersion(): void;
  /** A transaction was undone. */
  clear(): void;
}

/** Places, a power of two: some 15 MB. When two thirds of them are taken, all is forgotten. */
const PLACES = 2 ** 19;
const MOST = Math.floor((PLACES / 3) * 2);
const GONE = -1;

/**
 * An open table in flat arrays, which cost the garbage collector nothing. A user is told by two digests of 53 bits with
 * a random seed, of the id and of all that is shown: nobody can make two that agree in both.
 */
export function createUserCache(db: Db): UserCache {
  const version = db.$client.prepare<[], number>('pragma data_version').pluck();
  const [keys, digests, times] = [new Float64Array(PLACES), new Float64Array(PLACES), new Float64Array(PLACES)];
  const ids = new Int32Array(PLACES);
  let seed = newSeed();
  let taken = 0;
  let seenVersion: number | undefined;

  /** By another seed nobody is found any more: where several processes write in turn, this happens in every group. */
  function forgetAll(): void {
    seed = newSeed();
  }

  /** The place of a key, or the free one where it belongs. */
  function placeOf(key: number): number {
    let place = key % PLACES;
    while (keys[place] !== 0 && keys[place] !== key) place = (place + 1) % PLACES;
    return place;
  }

  return {
    find(row, at) {
      const place = placeOf(digestOf(row.restId, seed));
      const isKnown = keys[place] !== 0 && times[place]! <= at && digests[place] === digestOfUser(row, seed);
      return isKnown ? ids[place] : undefined;
    },
    add(row, at, id) {
      if (taken >= MOST) {
        keys.fill(0);
        taken = 0;
      }
      const key = digestOf(row.restId, seed);
      const place = placeOf(key);
      if (keys[place] === 0) taken += 1;
      keys[place] = key;
      digests[place] = digestOfUser(row, seed);
      times[place] = at;
      ids[place] = id;
    },
    remove(row) {
      const place = placeOf(digestOf(row.restId, seed));
      // The place stays taken: others may have been put behind it.
      digests[place] = GONE;
    },
    checkVersion() {
      const now = version.get();
      if (now !== seenVersion) forgetAll();
      seenVersion = now;
    },
    clear: forgetAll,
  };
}

const newSeed = (): State => [Math.random() * 2 ** 32, Math.random() * 2 ** 32];

const digestOf = (text: string, seed: State): number => finish(add(seed, text));

function digestOfUser(row: UserRow, seed: State): number {
  const { restId, screenName, name, description, profileImageUrl, verified, followersCount, followingCount } = row;
  let state = seed;
  for (const text of [restId, screenName, name, description, profileImageUrl]) state = add(state, text);
  for (const number of [verified == null ? 2 : Number(verified), followersCount, followingCount])
    state = mix(state, number ?? -1);
  return finish(state);
}

type State = readonly [number, number];

const mix = ([a, b]: State, value: number): State => [
  Math.imul(a ^ value ^ (value / 2 ** 32), 2_654_435_761),
  Math.imul(b ^ value ^ (value / 2 ** 32), 1_597_334_677),
];

function add(state: State, text: string | null | undefined): State {
  if (text == null) return mix(state, -1);
  let [a, b] = state;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 2_654_435_761);
    b = Math.imul(b ^ code, 1_597_334_677);
  }
  return mix([a, b], text.length);
}

/** Never zero, which is an empty place. */
function finish([a, b]: State): number {
  const high = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  const low = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 2 ** 32 * (high & 0x1f_ffff) + (low >>> 0) + 1;
}
