import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { UserRow } from '../../src/store/rows.ts';
import { newStore, pageOf, readerOf, rows, spec } from './support.ts';

const PROFILE: UserRow = {
  restId: '1',
  fullness: 'profile',
  screenName: 'nasa',
  name: 'NASA',
  description: 'space',
  location: 'earth',
  followersCount: 10,
  verified: null,
  isBlueVerified: true,
  canDm: false,
};

/** Stores observations one after the other, each at its own time, and returns the user's row. */
async function observe(
  observations: readonly (readonly [at: number, row: UserRow])[],
): Promise<Record<string, unknown>> {
  const store = newStore();
  const { id } = (await store.write.open([spec()], 1))[0]!;
  const { lease } = (await store.write.lease(id, 1))!;
  for (const [at, row] of observations)
    await store.write.commit(pageOf(id, lease, at, { rows: rows({ users: [row] }) }));
  return readerOf(store).prepare('select * from users join users_seen on user_id = id').get() as Record<
    string,
    unknown
  >;
}

describe('law 6: known data is never degraded', () => {
  it('a reference leaves a profile as it is, but for a newer name', async () => {
    const user = await observe([
      [10, PROFILE],
      [20, { restId: '1', fullness: 'reference', screenName: 'nasa', name: 'NASA!' }],
    ]);
    expect(user).toMatchObject({
      name: 'NASA!',
      description: 'space',
      location: 'earth',
      followers_count: 10,
      is_blue_verified: 1,
      can_dm: 0,
      profile_at: 10,
      seen_at: 20,
    });
  });

  it('a summary leaves alone what it does not show', async () => {
    const user = await observe([
      [10, PROFILE],
      [20, { restId: '1', fullness: 'summary', name: 'NASA', followersCount: 12, description: null }],
    ]);
    expect(user).toMatchObject({
      description: 'space',
      location: 'earth',
      followers_count: 12,
      screen_name: 'nasa',
      profile_at: 10,
      summary_at: 20,
    });
  });

  it('an absent flag is not false', async () => {
    expect(await observe([[10, { ...PROFILE, canDm: undefined }]])).toMatchObject({
      can_dm: null,
      is_blue_verified: 1,
      verified: null,
    });
  });

  it('an older observation fills holes and overwrites nothing', async () => {
    const user = await observe([
      [20, { ...PROFILE, location: null }],
      [10, { ...PROFILE, name: 'old', location: 'moon', followersCount: 1 }],
    ]);
    expect(user).toMatchObject({
      name: 'NASA',
      location: 'moon',
      followers_count: 10,
      first_seen: 10,
      seen_at: 20,
      profile_at: 20,
    });
  });

  it('whatever the order of arrival, full observations end in the same row', async () => {
    const fullness = fc.constantFrom('reference', 'summary', 'profile') as fc.Arbitrary<UserRow['fullness']>;
    const observations = fc
      .uniqueArray(fc.tuple(fc.integer({ min: 1, max: 50 }), fullness), {
        selector: ([at]) => at,
        minLength: 2,
        maxLength: 5,
      })
      .map((list) =>
        list.map(
          ([at, f]) =>
            [at, { ...PROFILE, fullness: f, name: `name ${at}`, followersCount: at, location: `place ${at}` }] as const,
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        observations.chain((list) =>
          fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
        ),
        async ([list, shuffled]) => {
          const inOrder = await observe(list.toSorted(([a], [b]) => a - b));
          expect(await observe(shuffled)).toEqual(inOrder);
        },
      ),
      { numRuns: 25 },
    );
  }, 60_000);
});
