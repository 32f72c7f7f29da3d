import type { UserRow } from '#store/schema/normalised-rows.ts';
import type { Db } from '#store/sqlite/database.ts';

/**
 * A cache of users of lists, exactly as they are stored: a user in it needs no read. Lists overlap, and are crawled
 * repeatedly. The cache is valid only while nobody else writes users; otherwise it is cleared (decision 8).
 */
export type UserCache = ReturnType<typeof createUserCache>;

/** Slots, a power of two: about 15 MB. The table is cleared when it is two thirds full. */
const SLOTS = 2 ** 19;
const MAX_ENTRIES = Math.floor((SLOTS / 3) * 2);
const REMOVED = -1;

/**
 * An open-addressing hash table in typed arrays, which cost no garbage collection. Users are compared by two 53-bit
 * digests with a random seed, of the id and of all values, so that nobody can craft a collision.
 */
export function createUserCache(db: Db) {
  const version = db.$client.prepare<[], number>('pragma data_version').pluck();
  const [keys, digests, times] = [new Float64Array(SLOTS), new Float64Array(SLOTS), new Float64Array(SLOTS)];
  const ids = new Int32Array(SLOTS);
  const digest = createDigests();
  let usedSlots = 0;
  let lastVersion: number | undefined;

  /** A new seed invalidates all entries. Where several processes write in turn, this happens in every group commit. */
  const clear = (): void => digest.reseed();

  /** Returns the slot of a key, or the free slot for it. */
  function slotOf(key: number): number {
    let slot = key % SLOTS;
    while (keys[slot] !== 0 && keys[slot] !== key) slot = (slot + 1) % SLOTS;
    return slot;
  }

  return {
    /** Returns the key of a user that is stored with exactly these values. */
    find(row: UserRow, at: number): number | undefined {
      const slot = slotOf(digest.of(row.restId));
      const isFound = keys[slot] !== 0 && times[slot]! <= at && digests[slot] === digest.of(textOf(row));
      return isFound ? ids[slot] : undefined;
    },
    add(row: UserRow, at: number, id: number): void {
      if (usedSlots >= MAX_ENTRIES) {
        keys.fill(0);
        usedSlots = 0;
      }
      const key = digest.of(row.restId);
      const slot = slotOf(key);
      if (keys[slot] === 0) usedSlots += 1;
      keys[slot] = key;
      digests[slot] = digest.of(textOf(row));
      times[slot] = at;
      ids[slot] = id;
    },
    /** Removes a user whose row was changed by another kind of observation. */
    remove(row: UserRow): void {
      const slot = slotOf(digest.of(row.restId));
      // The slot stays in use, since later entries may depend on it.
      digests[slot] = REMOVED;
    },
    /** Clears the cache at the begin of a transaction if another process has written since the last. */
    checkVersion(): void {
      const now = version.get();
      if (now !== lastVersion) clear();
      lastVersion = now;
    },
    /** Clears the cache after a rollback. */
    clear,
  };
}

/** Marks an absent value in the digest of a user: stored texts have no lone surrogates and no NUL. */
const ABSENT = '\uD800';

/** The values of a user as one text. */
const textOf = (row: UserRow): string =>
  `${row.restId}\0${row.screenName ?? ABSENT}\0${row.name ?? ABSENT}\0${row.description ?? ABSENT}\0${
    row.profileImageUrl ?? ABSENT
  }\0${row.verified ?? ABSENT}\0${row.followersCount ?? ABSENT}\0${row.followingCount ?? ABSENT}`;

/** Prepares digests of 53 bits. The state is two numbers in variables: a native hash takes twice as long (decision 8). */
function createDigests() {
  let [seedA, seedB] = [randomSeed(), randomSeed()];
  return {
    /** Takes a new seed, which changes all digests. */
    reseed(): void {
      seedA = randomSeed();
      seedB = randomSeed();
    },
    /** Returns the digest of a text: never zero, which marks a free slot. */
    of(text: string): number {
      let [a, b] = [seedA, seedB];
      for (let i = 0; i < text.length; i++) {
        const code = text.charCodeAt(i);
        a = Math.imul(a ^ code, 2_654_435_761);
        b = Math.imul(b ^ code, 1_597_334_677);
      }
      const high = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909);
      const low = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(high ^ (high >>> 13), 3_266_489_909);
      return 2 ** 32 * (high & 0x1f_ffff) + (low >>> 0) + 1;
    },
  };
}

const randomSeed = (): number => Math.floor(Math.random() * 2 ** 32);
