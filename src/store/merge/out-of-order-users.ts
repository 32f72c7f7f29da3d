import { eq } from 'drizzle-orm';
import type { UserRow } from '../schema/normalised-rows.ts';
import { users, userLastSeen } from '../schema/tables.ts';
import { COLUMNS_BY_DETAIL_LEVEL, columnTime, USER_COLUMNS, type UserTimes } from '../schema/user-columns.ts';
import type { Db } from '../sqlite/database.ts';
import { bound, compileStatement, pickColumns, placeholders } from '../sqlite/statement.ts';
import { type ObservedColumn, prepareOutOfOrderMerge } from './out-of-order-merge.ts';
import type { ColumnValue } from './value-timeline.ts';

/**
 * Prepares the out-of-order merge of a stored user. Returns whether the observation belongs into the history. The
 * caller updates `_user_last_seen`.
 */
export function prepareOutOfOrderUsers(db: Db): (id: number, row: UserRow, at: number) => boolean {
  const { lastSeenAt, lastSummaryAt } = userLastSeen;
  const { profileAt, firstSeenAt, changedAt } = users;
  const columns = { ...pickColumns(users, USER_COLUMNS), lastSeenAt, lastSummaryAt, profileAt, firstSeenAt, changedAt };
  const isUser = eq(users.id, bound.id);
  const isOfUser = eq(userLastSeen.userId, users.id);
  const find = compileStatement(db.select(columns).from(users).leftJoin(userLastSeen, isOfUser).where(isUser));
  const changes = placeholders(users, [...USER_COLUMNS, 'firstSeenAt', 'changedAt', 'profileAt', 'hasStaleColumns']);
  const update = compileStatement(db.update(users).set(changes).where(isUser));
  const merge = prepareOutOfOrderMerge(db, 'users', USER_COLUMNS);

  return (id, observed, at) => {
    const stored = find.get({ id })!;
    const row = Object.fromEntries(USER_COLUMNS.map((column, i) => [column, stored[i] as ColumnValue | null]));
    const [seenAt, summaryAt, profileAt, firstSeen, changedAt] = stored
      .slice(USER_COLUMNS.length)
      .map((time) => (time as number | null) ?? 0) as [number, number, number, number, number];
    const before: UserTimes = { lastSeenAt: seenAt, lastSummaryAt: summaryAt, profileAt };
    const after: UserTimes = {
      lastSeenAt: Math.max(seenAt, at),
      lastSummaryAt: observed.detailLevel === 'summary' ? Math.max(summaryAt, at) : summaryAt,
      profileAt: observed.detailLevel === 'profile' ? Math.max(profileAt, at) : profileAt,
    };
    const observedValues = COLUMNS_BY_DETAIL_LEVEL[observed.detailLevel].flatMap((column): ObservedColumn[] => {
      const value = observed[column];
      if (value == null) return [];
      // The picture of an author counts as older than any summary or profile.
      const isPicture = observed.detailLevel === 'reference' && column === 'profileImageUrl';
      return [[column, value, isPicture ? 0 : at]];
    });
    return merge(
      {
        id,
        row,
        shown: observedValues,
        since: firstSeen,
        before: (column) => columnTime(column, before),
        after: (column) => columnTime(column, after),
      },
      ({ row: merged, hasStaleColumns, changedAt: historyChangedAt = 0 }) => {
        const hasNewValue = USER_COLUMNS.some((column) => merged[column] !== row[column]);
        update.run({
          ...merged,
          id,
          hasStaleColumns,
          firstSeenAt: Math.min(firstSeen, at),
          changedAt: Math.max(changedAt, historyChangedAt, hasNewValue ? at : 0),
          profileAt: after.profileAt === 0 ? null : after.profileAt,
        });
      },
    );
  };
}
