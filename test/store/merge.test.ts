import { describe, expect, it } from 'vitest';
import type { UserRow } from '#store/schema/normalised-rows.ts';
import { newStore, openLeased, pageOf, readerOf, rows } from './support.ts';

const PROFILE: UserRow = {
  restId: '1',
  detailLevel: 'profile',
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
  const { id, lease } = await openLeased(store, 1);
  for (const [at, row] of observations)
    await store.write.commitPage(pageOf(id, lease, at, { rows: rows({ users: [row] }) }));
  return readerOf(store).prepare('select * from users join _user_last_seen on user_id = id').get() as Record<
    string,
    unknown
  >;
}

describe('known data is never degraded (invariant 6)', () => {
  it.each<[string, Parameters<typeof observe>[0], object]>([
    [
      'a reference changes a profile only by a newer name',
      [
        [10, PROFILE],
        [20, { restId: '1', detailLevel: 'reference', screenName: 'nasa', name: 'NASA!' }],
      ],
      {
        name: 'NASA!',
        description: 'space',
        location: 'earth',
        followers_count: 10,
        is_blue_verified: 1,
        can_dm: 0,
        profile_at: 10,
        last_seen_at: 20,
      },
    ],
    [
      'a summary does not change columns that it does not show',
      [
        [10, PROFILE],
        [20, { restId: '1', detailLevel: 'summary', name: 'NASA', followersCount: 12, description: null }],
      ],
      {
        description: 'space',
        location: 'earth',
        followers_count: 12,
        screen_name: 'nasa',
        profile_at: 10,
        last_summary_at: 20,
      },
    ],
    [
      'an absent flag is not false',
      [[10, { ...PROFILE, canDm: undefined }]],
      { can_dm: null, is_blue_verified: 1, verified: null },
    ],
    [
      'an older observation fills unknown values and overwrites nothing',
      [
        [20, { ...PROFILE, location: null }],
        [10, { ...PROFILE, name: 'old', location: 'moon', followersCount: 1 }],
      ],
      {
        name: 'NASA',
        location: 'moon',
        followers_count: 10,
        first_seen_at: 10,
        last_seen_at: 20,
        profile_at: 20,
      },
    ],
  ])('%s', async (_, observations, expected) => {
    expect(await observe(observations)).toMatchObject(expected);
  });

  it('the picture of a summary has priority over an older and a newer one of an author', async () => {
    const author = (picture: string): UserRow => ({ restId: '1', detailLevel: 'reference', profileImageUrl: picture });
    const summary: UserRow = { restId: '1', detailLevel: 'summary', profileImageUrl: 'large' };
    const pictureOf = async (...observations: Parameters<typeof observe>[0]) =>
      (await observe(observations))['profile_image_url'];
    expect(await pictureOf([10, author('small')], [20, summary])).toBe('large');
    expect(await pictureOf([10, summary], [20, author('small')])).toBe('large');
    expect(await pictureOf([10, author('small')], [20, { ...summary, profileImageUrl: null }])).toBe('small');
  });
});
