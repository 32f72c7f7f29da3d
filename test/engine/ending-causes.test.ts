import { expect, test } from 'vitest';
import { describeLostFollowers } from '#analysis/history/describe-lost-followers.ts';
import { openDatabase } from '#store/sqlite/database.ts';
import { readerOf } from '../store/support.ts';
import { crawlAgainst, followers, GONE, people, profile, reference } from './support.ts';

/** Five followers of an account, of which four leave: two unfollow, two are suspended. One of each is seen again elsewhere. */
test('an edge that ended has the cause that later responses show (invariant 7)', async () => {
  const nasa = reference('1', 'nasa');
  const members = Array.from({ length: 5 }, (_, n) => reference(String(n + 2), `s${n + 2}`));
  const state = { shown: members, suspended: [] as string[] };
  const idOf = (screenName: string): string => screenName.slice(1);
  const { run, store } = await crawlAgainst({
    'user-profile': ({ screenName }) =>
      screenName === 'nasa'
        ? profile('1', 'nasa', 3, { followers: state.shown.length })
        : state.suspended.includes(idOf(screenName!))
          ? GONE
          : profile(idOf(screenName!), screenName!, 3, { following: 1 }),
    followers: ({ restId }) => {
      if (state.suspended.includes(restId!)) return GONE;
      return restId === '1'
        ? followers(nasa, state.shown, null)
        : followers(reference(restId!, `s${restId}`), [], null);
    },
    // The last page of a cached list of a suspended account is empty: nothing but its time shows whose list it is.
    following: ({ restId, cursor }) =>
      restId === '6'
        ? people('following', reference('6', 's6'), cursor ? [] : [reference('9', 's9')], cursor ? null : 'A')
        : people('following', reference('9', 's9'), [reference('4', 's4')], null),
  });
  const causes = () =>
    Object.fromEntries(
      readerOf(store)
        .prepare("select follower_rest_id, cause from v_follow_changes where change = 'went' order by 1")
        .raw()
        .all() as [string, string][],
    );
  await run('followers', 'id:1');
  Object.assign(state, { shown: members.slice(0, 1), suspended: ['5', '6'] });
  for (let n = 0; n < 2; n++) await run('followers', 'id:1');
  expect(causes()).toEqual({ 3: 'unknown', 4: 'unknown', 5: 'unknown', 6: 'unknown' });

  await run('profile', 's3');
  await run('profile', 'id:5', { isRecheck: true });
  // A list of followed accounts may be a day old: nothing shows that its owner and members are still there.
  await run('following', 'id:9');
  await run('following', 'id:6');
  expect(causes()).toEqual({ 3: 'unfollowed', 4: 'unknown', 5: 'account gone', 6: 'unknown' });
  const db = openDatabase(store.path);
  expect(describeLostFollowers(db, '1')).toBe(
    'Of 4 lost followers, 1 unfollowed, 1 is no longer shown by the service, 2 left for unknown reasons.',
  );
  db.$client.close();

  // What was seen after the end stays true when the account is gone later; a 404 in between leaves both possible.
  state.suspended = ['3', '6'];
  await run('profile', 'id:3', { isRecheck: true });
  await run('profile', 's5');
  expect(causes()).toEqual({ 3: 'unfollowed', 4: 'unknown', 5: 'unknown', 6: 'unknown' });
});
