import { pluralize } from '#base/text.ts';
import type { Db } from '#store/sqlite/database.ts';

/** The causes in `v_follow_changes`, with their predicates for one account and for several. */
const CAUSES = [
  ['unfollowed', 'unfollowed', 'unfollowed'],
  ['account gone', 'is no longer shown by the service', 'are no longer shown by the service'],
  ['unknown', 'left for an unknown reason', 'left for unknown reasons'],
] as const;

/** Returns a sentence about the causes of all lost followers of an account; undefined if none was lost. */
export function describeLostFollowers({ $client }: Db, restId: string): string | undefined {
  const rows = $client
    .prepare<[string], [cause: string, accounts: number]>(
      `select cause, count(*) from v_follow_changes where change = 'went' and followee_rest_id = ? group by cause`,
    )
    .raw()
    .all(restId) as unknown as [string, number][];
  const counts = new Map(rows);
  const parts = CAUSES.flatMap(([cause, one, several]) => {
    const accounts = counts.get(cause) ?? 0;
    return accounts === 0 ? [] : [pluralize(accounts, one, several)];
  });
  if (parts.length === 0) return undefined;
  const total = rows.reduce((sum, [, accounts]) => sum + accounts, 0);
  return `Of ${pluralize(total, 'lost follower')}, ${parts.join(', ')}.`;
}
