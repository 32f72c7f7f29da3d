import { type CrawlSpec, createRecheckSpec, RECHECK_OPTIONS } from '#service/kinds/crawl-spec.ts';
import { CACHE_VALIDITY } from '#store/evidence/edge-periods.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The most candidates that a run decides: if more are missing, their list was cut short. */
const MAX_CANDIDATES = 20;

/** An edge that a list lacked which was cut short. */
export interface FollowCandidate {
  readonly followerId: number;
  readonly followeeId: number;
  /** The service's id of the account that the list lacks. */
  readonly member: string;
  /** When the edge was last seen, milliseconds UTC. */
  readonly lastSeenAt: number;
  /** Whether the list of followed accounts of the member decides, if it is complete and no copy of an older one. */
  readonly isDecidedByList: boolean;
}

/** Counts the edges that await a re-check. @param owner the service's id of the account whose list lacks them; all if absent */
export const countFollowCandidates = (
  { $client }: Db,
  owner?: { readonly side: string; readonly restId: string },
): number =>
  $client
    .prepare<object, number>(
      `select count(*) from (select distinct follower_id, followee_id from _unfollow_candidates
       ${owner ? "where side = @side and case side when 'followers' then followee_id else follower_id end = (select id from users where rest_id = @restId)" : ''})`,
    )
    .pluck()
    .get(owner ?? {})!;

/** Selects one candidate for each of several accounts, those with the oldest check first. @param now milliseconds UTC */
export function selectFollowCandidates({ $client }: Db, now: number): FollowCandidate[] {
  const rows = $client
    .prepare<object, FollowCandidate & { readonly isOfFollowers: 0 | 1; readonly contentAfter: number }>(
      `select c.follower_id as followerId, c.followee_id as followeeId, m.rest_id as member, max(c.last_seen_at) as lastSeenAt,
         c.side = 'followers' as isOfFollowers,
         c.last_seen_at + case c.last_seen_in when 0 then ${CACHE_VALIDITY} else 0 end as contentAfter
       from _unfollow_candidates c join users m on m.id = c.member_id
       group by c.member_id
       order by (select max(r.finished_at) from crawls r
         where r.target_rest_id = m.rest_id and r.kind in ('profile', 'following') and r.options = @options), lastSeenAt, c.member_id
       limit ${MAX_CANDIDATES}`,
    )
    .all({ options: RECHECK_OPTIONS });
  return rows.map(({ isOfFollowers, contentAfter, ...candidate }) => ({
    ...candidate,
    isDecidedByList: isOfFollowers === 1 && contentAfter < now,
  }));
}

/** The first checks of candidates: whether their accounts are there. */
export const createProfileChecks = (candidates: readonly FollowCandidate[]): CrawlSpec[] =>
  candidates.map(({ member }) => createRecheckSpec('profile', `id:${member}`));

/** The second checks: the lists of accounts that were seen since a time, milliseconds UTC. */
export function createListChecks({ $client }: Db, candidates: readonly FollowCandidate[], since: number): CrawlSpec[] {
  const isSeen = $client.prepare<[string, number]>(
    'select 1 from users u join _user_last_seen s on s.user_id = u.id where u.rest_id = ? and s.last_seen_at >= ?',
  );
  return candidates
    .filter(({ member, isDecidedByList }) => isDecidedByList && isSeen.get(member, since) !== undefined)
    .map(({ member }) => createRecheckSpec('following', `id:${member}`));
}

export interface FollowRecheckCounts {
  readonly checked: number;
  readonly unfollowed: number;
  readonly accountsGone: number;
  /** The list shows the edge again. */
  readonly stillFollowing: number;
  readonly undecided: number;
}

/** Reads what became of candidates. */
export function readFollowRecheckCounts({ $client }: Db, candidates: readonly FollowCandidate[]): FollowRecheckCounts {
  const read = $client
    .prepare<[number, number, number, number, number], string>(
      `select case when f.last_seen_at > ? then 'stillFollowing' else coalesce((
         select case d.cause when 'unfollowed' then 'unfollowed' else 'accountsGone' end from _follow_decisions d
         where d.follower_id = ? and d.followee_id = ? and d.started_at > f.last_seen_at), 'undecided') end
       from follows f where f.follower_id = ? and f.followee_id = ?`,
    )
    .pluck();
  const counts = { unfollowed: 0, accountsGone: 0, stillFollowing: 0, undecided: 0 };
  for (const { followerId, followeeId, lastSeenAt } of candidates)
    counts[
      (read.get(lastSeenAt, followerId, followeeId, followerId, followeeId) ?? 'undecided') as keyof typeof counts
    ] += 1;
  return { checked: candidates.length, ...counts };
}
