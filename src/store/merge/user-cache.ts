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
const SLOTS = 2 ** 19;
const MAX_ENTRIES = Math.floor((SLOTS / 3) * 2);
const REMOVED = -1;

/**
 * An open table in flat arrays, which cost the garbage collector nothing. A user is told by two digests of 53 bits with
 * a random seed, of the id and of all that is shown: nobody can make two that agree in both.
 */
export function createUserCache(db: Db): UserCache {
  const version = db.$client.prepare<[], number>('pragma data_version').pluck();
  const [keys, digests, times] = [new Float64Array(SLOTS), new Float64Array(SLOTS), new Float64Array(SLOTS)];
  const ids = new Int32Array(SLOTS);
  let seed = newSeed();
  let usedSlots = 0;
  let lastVersion: number | undefined;

  /** By another seed nobody is found any more: where several processes write in turn, this happens in every group. */
  function changeSeed(): void {
    seed = newSeed();
  }

  /** The place of a key, or the free one where it belongs. */
  function slotOf(key: number): number {
    let slot = key % SLOTS;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % SLOTS;
    return slot;
  }

  return {
    find(row, at) {
      const slot = slotOf(digestOf(row.restId, seed));
      const isFound = keys[slot] !== 0 && times[slot]! <= at && digests[slot] === digestOfUser(row, seed);
      return isFound ? ids[slot] : undefined;
    },
    add(row, at, id) {
      if (usedSlots >= MAX_ENTRIES) {
        keys.fill(0);
        usedSlots = 0;
      }
      const key = digestOf(row.restId, seed);
      const slot = slotOf(key);
      if (keys[slot] === 0) usedSlots += 1;
      keys[slot] = key;
      digests[slot] = digestOfUser(row, seed);
      times[slot] = at;
      ids[slot] = id;
    },
    remove(row) {
      const slot = slotOf(digestOf(row.restId, seed));
      // The place stays taken: others may have been put behind it.
      digests[slot] = REMOVED;
    },
    checkVersion() {
      const now = version.get();
      if (now !== lastVersion) changeSeed();
      lastVersion = now;
    },
    clear: changeSeed,
  };
}

const newSeed = (): State => [Math.random() * 2 ** 32, Math.random() * 2 ** 32];

const digestOf = (text: string, seed: State): number => finalise(add(seed, text));

function digestOfUser(row: UserRow, seed: State): number {
  const { restId, screenName, name, description, profileImageUrl, verified, followersCount, followingCount } = row;
  let state = seed;
  for (const text of [restId, screenName, name, description, profileImageUrl]) state = add(state, text);
  for (const number of [verified == null ? 2 : Number(verified), followersCount, followingCount])
    state = mix(state, number ?? -1);
  return finalise(state);
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
function finalise([a, b]: State): number {
  const high = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
  const low = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
  return 2 ** 32 * (high & 0x1f_ffff) + (low >>> 0) + 1;
}
