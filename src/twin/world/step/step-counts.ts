import type { StepContext } from './step-context.ts';

interface UserCounts {
  readonly followers: number;
  readonly following: number;
  readonly statuses: number;
  readonly media: number;
}

const COUNTED = {
  followers: 'select count(*) from follows where followee_id = u.id and ended_at is null',
  following: 'select count(*) from follows where follower_id = u.id and ended_at is null',
  statuses: 'select count(*) from tweets where author_id = u.id',
  media: 'select count(*) from tweets where author_id = u.id and has_media',
};

/** Sets the counts of all changed users and tweets to the numbers of rows. */
export function updateCounts({ db, changes, to }: StepContext): void {
  const stored = db.$client.prepare<[number], UserCounts & { readonly restId: string }>(
    `select rest_id as restId, followers_count as followers, following_count as following, statuses_count as statuses,
       media_count as media from users where id = ?`,
  );
  const counted = db.$client.prepare<[number], UserCounts>(
    `select ${Object.entries(COUNTED)
      .map(([name, query]) => `(${query}) as ${name}`)
      .join(', ')} from users u where id = ?`,
  );
  const updateUser = db.$client.prepare<[number, number, number, number, number, number, number, number]>(
    `update users set followers_count = ?, following_count = ?, statuses_count = ?, media_count = ?,
       favourites_count = coalesce(favourites_count, 0) + ?, changed_at = ?, profile_at = ? where id = ?`,
  );
  for (const id of changes.touchedUsers) {
    const before = stored.get(id);
    const now = counted.get(id);
    // A suspended account has no row.
    if (!before || !now) continue;
    const likes = changes.likes.get(id) ?? 0;
    const isEqual = (Object.keys(COUNTED) as (keyof UserCounts)[]).every((name) => before[name] === now[name]);
    if (isEqual && likes === 0) continue;
    updateUser.run(now.followers, now.following, now.statuses, now.media, likes, to, to, id);
    changes.userCounts.push(before.restId);
  }

  const updateTweet = db.$client.prepare<[number, string]>(
    `update tweets as t set last_seen_at = ?,
       reply_count = (select count(*) from tweets r where r.in_reply_to_status_rest_id = t.rest_id)
     where rest_id = ?
       and reply_count is not (select count(*) from tweets r where r.in_reply_to_status_rest_id = t.rest_id)`,
  );
  for (const restId of changes.touchedParents) {
    if (updateTweet.run(to, restId).changes > 0) changes.tweetCounts.add(restId);
  }
}
