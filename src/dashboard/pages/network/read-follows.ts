import type { Db } from '../../../store/sqlite/database.ts';

/**
 * Reads who of these accounts follows whom: for each one, the positions of those that it follows, ascending. It walks the
 * accounts that each one follows, which are few. The followers of one may be millions.
 */
export function readFollowsAmong({ $client }: Db, ids: readonly number[]): number[][] {
  const positions = new Map(ids.map((id, position) => [id, position]));
  // Both indexes have all columns that are read. Ended edges are among the missed ones.
  const followed = $client
    .prepare<[number], number>('select followee_id from follows indexed by follows_follower where follower_id = ?')
    .pluck();
  const ended = $client
    .prepare<[number], number>(
      `select followee_id from follows indexed by follows_missed_follower
       where follower_id = ? and first_missed_at is not null and ended_at is not null`,
    )
    .pluck();
  return ids.map((id) => {
    const found = new Set(followed.all(id).flatMap((followee) => positions.get(followee) ?? []));
    for (const followee of ended.all(id)) found.delete(positions.get(followee)!);
    found.delete(positions.get(id)!);
    return [...found].toSorted((a, b) => a - b);
  });
}
