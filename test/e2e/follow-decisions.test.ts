import { expect, test } from 'vitest';
import { openConnection } from '#store/sqlite/driver.ts';
import { json, serve } from '../client/service.ts';
import { people as listPage, profile, reference } from '../engine/support.ts';
import { runCli, runJson } from '../support/cli.ts';
import { tempFile } from '../support/temp.ts';
import { rowsOf, valueOf } from './support.ts';

const DAY = 86_400_000;

/** An account of a service. Lists hold ids of accounts; one that is unset is empty. */
interface Account {
  readonly id: string;
  handle: string;
  followers?: readonly string[];
  following?: readonly string[];
  /** The counts that its profile shows. */
  counts?: { readonly followers?: number; readonly following?: number };
}

/** Serves profiles and lists until the test ends. An answer about an account of `incomplete` says that it is incomplete. */
async function serveAccounts(
  data: { accounts: readonly Account[] },
  incomplete: (id: string) => boolean = () => false,
) {
  const asked: string[] = [];
  const { url } = await serve((response, { url: { pathname, searchParams } }) => {
    const endpoint = pathname.split('/').at(-1)!;
    asked.push(endpoint);
    if (endpoint === 'token-info')
      return json(response, { data: { app_limit: 100_000, remaining: 90_000, reset_at: '2099-01-01T00:00:00.000Z' } });
    const [id, handle] = [searchParams.get('restId'), searchParams.get('screenName')];
    const one = data.accounts.find((account) => account.id === id || account.handle === handle);
    if (!one) {
      response.statusCode = 404;
      return json(response, { title: 'not found' });
    }
    if (endpoint === 'user-profile') return json(response, profile(one.id, one.handle, 0, one.counts));
    const list = endpoint === 'followers' ? 'followers' : 'following';
    const members = (one[list] ?? []).flatMap((member) => data.accounts.filter((account) => account.id === member));
    const shown = members.map(({ id: member, handle: name }) => reference(member, name));
    const errors = list === 'following' && incomplete(one.id) ? { errors: [{ message: 'incomplete' }] } : {};
    return json(response, { ...listPage(list, reference(one.id, one.handle), shown, null), ...errors });
  });
  const db = tempFile('store.db');
  return { asked, db, env: { TRAWL_API_URL: url, TRAWL_API_KEY: 'key', TRAWL_DB: db } };
}

const crowd = (count: number): Account[] =>
  Array.from({ length: count }, (_, n) => {
    return { id: String(100 + n), handle: `member${n + 1}`, following: ['1', '99'], counts: { following: 2 } };
  });
const idsOf = (accounts: readonly Account[]): string[] => accounts.map(({ id }) => id);
const unfollow = (account: Account): void =>
  void Object.assign(account, { following: ['99'], counts: { following: 1 } });
const BYSTANDER: Account = { id: '99', handle: 'bystander' };
const COUNT_CANDIDATES = 'select count(*) from v_unfollow_candidates';

/** Moves the times at which edges were seen, so that no followed accounts can be a cached copy of that time. */
function ageEdges(file: string, condition = 'true'): void {
  const db = openConnection(file);
  db.exec(
    `update follows set first_seen_at = first_seen_at - ${2 * DAY}, last_seen_at = last_seen_at - ${2 * DAY} where ${condition}`,
  );
  db.close();
}

/** What became of a member, and the cause that a decision about its edge may have; the others follow on. */
const CAUSES = {
  gone: 'account gone',
  unfollowed: 'unfollowed',
  hidden: undefined,
  renamed: undefined,
  'with an incomplete list': undefined,
} as const;
const FATES = Object.keys(CAUSES) as (keyof typeof CAUSES)[];

test('decisions about members agree with what became of them', async () => {
  const members = crowd(2 * FATES.length);
  const fates = members.map((_, n) => FATES[n % FATES.length]!);
  const fateOf = (id: string) => fates[idsOf(members).indexOf(id)];
  const anna: Account = {
    id: '1',
    handle: 'anna',
    followers: ['99', ...idsOf(members)],
    counts: { followers: 1 + members.length },
  };
  const data = { accounts: [anna, BYSTANDER, ...members] };
  const { db, env } = await serveAccounts(data, (id) => fateOf(id) === 'with an incomplete list');
  await runCli('crawl followers id:1', { env });
  ageEdges(db);

  anna.followers = ['99'];
  data.accounts = data.accounts.filter(({ id }) => fateOf(id) !== 'gone');
  for (const [n, member] of members.entries()) {
    if (fates[n] === 'renamed') member.handle = `renamed${n}`;
    if (fates[n] === 'unfollowed') unfollow(member);
    if (fates[n] === 'with an incomplete list') member.following = ['99'];
  }
  await runCli('crawl followers id:1', { env });
  expect(valueOf(db, COUNT_CANDIDATES)).toBe(members.length);
  for (let run = 0; run < 2; run += 1) await runCli('recheck follows --yes', { env });

  const decided = rowsOf(
    db,
    "select follower_rest_id as id, cause from v_follow_changes where change = 'went' order by follower_rest_id",
  );
  const expected = members.flatMap(({ id }, n) => {
    const cause = CAUSES[fates[n]!];
    return cause === undefined ? [] : [{ id, cause }];
  });
  expect(decided).toEqual(expected);
});

test('candidates of a list that was cut short are decided one by one', async () => {
  const others = crowd(6);
  const anna: Account = { id: '1', handle: 'anna', followers: idsOf(others), counts: { followers: 6 } };
  const data = { accounts: [anna, BYSTANDER, ...others] };
  const { asked, db, env } = await serveAccounts(data);
  const recheck = async () => (await runJson<{ recheck: object }>('recheck follows --yes', { env })).recheck;
  await runCli('crawl followers id:1', { env });
  anna.followers = idsOf(others.slice(0, 1));
  expect((await runCli('crawl followers id:1', { env })).stderr).toContain('recheck follows');
  expect(valueOf(db, COUNT_CANDIDATES)).toBe(5);

  // The account of one is gone, another one unfollowed; all others are hidden from the list.
  data.accounts = data.accounts.filter((account) => account !== others[1]);
  unfollow(others[2]!);
  // Within a day after the edge was seen, a list of followed accounts may be a cached copy of an earlier one.
  expect(await recheck()).toMatchObject({ checked: 5, accountsGone: 1, unfollowed: 0, undecided: 4, left: 4 });
  expect(asked).not.toContain('following');
  ageEdges(db, "follower_id <> (select id from users where screen_name = 'member1')");
  expect(await recheck()).toMatchObject({ checked: 4, unfollowed: 1, stillFollowing: 3, left: 0 });
  expect(rowsOf(db, "select follower, cause from v_follow_changes where change = 'went' order by 1")).toEqual([
    { follower: 'member2', cause: 'account gone' },
    { follower: 'member3', cause: 'unfollowed' },
  ]);
  expect(valueOf(db, 'select count(*) from follows where first_missed_at is not null and ended_at is null')).toBe(0);
});
