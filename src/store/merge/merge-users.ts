import { and, eq, isNotNull, isNull, lte, not, or, sql } from 'drizzle-orm';
import type { DetailLevel, UserRow } from '#store/schema/normalised-rows.ts';
import { users, userLastSeen } from '#store/schema/tables.ts';
import { COLUMNS_BY_DETAIL_LEVEL, columnTime, USER_COLUMNS, type UserTimes } from '#store/schema/user-columns.ts';
import type { Db } from '#store/sqlite/database.ts';
import { compileStatement, bound, placeholders, type Statement, pickColumns } from '#store/sqlite/statement.ts';
import { lastSeenSubquery, lastSummarySubquery } from './last-seen.ts';
import {
  boundValue,
  conditionsDiffer,
  conditionsEqual,
  oneIfTrue,
  conditionsMissing,
  takeLatest,
  takeObserved,
  mergeColumns,
} from './merge-rules.ts';
import { type ObservedColumn, prepareOutOfOrderMerge, type ColumnValue } from './out-of-order-merge.ts';
import type { UserCache } from './user-cache.ts';

const { at, id } = bound;
const COUNTS = ['followersCount', 'followingCount'] as const;
const isCount = (name: string): boolean => (COUNTS as readonly string[]).includes(name);

const DETAIL_LEVELS = ['reference', 'summary', 'profile'] as const satisfies readonly DetailLevel[];

/** A summary or a profile of the user was seen. */
const hasDetails = or(isNotNull(users.profileAt), isNotNull(lastSummarySubquery))!;
/** A picture of a summary or profile has priority over that of an author. */
const isSuperseded = and(isNotNull(users.profileImageUrl), hasDetails);
const observedPicture = boundValue(users.profileImageUrl, 'profileImageUrl');
const hasNoNewPicture = or(isNull(observedPicture), sql`${observedPicture} is ${users.profileImageUrl}`, isSuperseded)!;

export interface StoredUsers {
  readonly ids: ReadonlyMap<string, number>;
  /** The numbers of new and of changed users. */
  readonly newUsers: number;
  readonly changedUsers: number;
}

/** Prepares the statements for observations of a level. */
function prepareStatements(db: Db, level: DetailLevel) {
  const isProfile = level === 'profile';
  const isReference = level === 'reference';
  const columns = COLUMNS_BY_DETAIL_LEVEL[level];
  const replacedColumns = columns.filter((name) => !isReference || name !== 'profileImageUrl');
  const counts = replacedColumns.filter(isCount);
  const details = replacedColumns.filter((name) => !isCount(name));
  const pictureCondition = isReference ? hasNoNewPicture : undefined;
  const isEqual = and(...conditionsEqual(users, replacedColumns))!;
  // The time of a profile is a column of the row itself.
  const isUnchanged = isProfile
    ? sql`0`
    : oneIfTrue(and(eq(users.hasStaleColumns, sql`0`), lte(users.changedAt, at), isEqual, pictureCondition));
  const isNewest = oneIfTrue(
    and(
      eq(users.hasStaleColumns, sql`0`),
      sql`${at} > ${lastSeenSubquery}`,
      not(or(...conditionsMissing(users, replacedColumns))!),
      pictureCondition,
    ),
  );
  const hasOnlyCountChanges = oneIfTrue(level === 'summary' ? and(...conditionsEqual(users, details)) : sql`0`);
  const isPictureChanged = and(...conditionsDiffer(users, ['profileImageUrl']), hasDetails);
  const hasChanged = oneIfTrue(
    or(
      ...conditionsDiffer(users, [...counts, ...details.filter((name) => name !== 'profileImageUrl')]),
      // A picture that only tweet-detail shows does not count as a change of the account (`user_history`).
      isReference ? undefined : isPictureChanged,
    ),
  );
  const profileTime = isProfile ? { profileAt: at } : {};
  const observed = placeholders(users, ['restId', ...columns]);
  const newRow = db.insert(users).values({ ...observed, firstSeenAt: at, changedAt: at, ...profileTime });
  const update = (names: readonly string[], changes: object) =>
    compile(
      db
        .update(users)
        .set({ ...mergeColumns(users, names, takeObserved, boundValue), ...changes })
        .where(eq(users.id, id)),
    );
  const seenColumns = level === 'summary' ? ['lastSeenAt', 'lastSummaryAt'] : ['lastSeenAt'];
  return {
    find: compile(db.select({ id: users.id, isUnchanged }).from(users).where(eq(users.restId, bound.restId))),
    isNewest: compile(db.select({ isNewest, hasChanged, hasOnlyCountChanges }).from(users).where(eq(users.id, id))),
    insert: compile(newRow.onConflictDoNothing({ target: users.restId })),
    replace: update(replacedColumns, {
      ...profileTime,
      changedAt: sql`case when ${isEqual} then ${users.changedAt} else ${at} end`,
    }),
    // Usually only counts have changed: then no index, full-text entry or other history is touched.
    replaceCounts: update(COUNTS, { changedAt: at }),
    updateTimes: compileStatement(
      db
        .insert(userLastSeen)
        .select(
          sql`select value, ${at}, ${level === 'summary' ? at : sql`null`} from json_each(${bound.ids}) where true`,
        )
        .onConflictDoUpdate({
          target: userLastSeen.userId,
          set: mergeColumns(userLastSeen, seenColumns, takeLatest),
        }),
    ),
  };
}

/**
 * Prepares the merge of a page's users (invariant 6). Most users that a crawl sees again are unchanged: then only their
 * times in `_user_last_seen` change, in one statement per page, and no row, index, history or full-text entry is touched
 * (decision 8). Almost all others are newer and complete: the observed values replace the stored ones. The rest is
 * merged column by column (decision 15).
 */
export function prepareUsers(db: Db, userCache: UserCache): (rows: readonly UserRow[], at: number) => StoredUsers {
  const statements = {
    reference: prepareStatements(db, 'reference'),
    summary: prepareStatements(db, 'summary'),
    profile: prepareStatements(db, 'profile'),
  };
  let mergeOutOfOrder: ReturnType<typeof prepareOutOfOrderUsers> | undefined;

  /** Users of the page whose times are not yet updated. */
  const pendingIds: Record<DetailLevel, number[]> = { reference: [], summary: [], profile: [] };
  function updateTimes(time: number): void {
    for (const level of DETAIL_LEVELS) {
      if (pendingIds[level].length > 0)
        statements[level].updateTimes.run({ at: time, ids: JSON.stringify(pendingIds[level]) });
      pendingIds[level] = [];
    }
  }

  let added = 0;
  let changed = 0;
  /** Neighbours of a new user in a list are usually new, too; then the insert comes before the read. */
  let isLikelyNew = true;
  function insertNew(row: UserRow, time: number): number | undefined {
    const { changes, lastInsertRowid } = statements[row.detailLevel].insert.run(row, time);
    if (changes === 0) return undefined;
    added++;
    if (row.detailLevel === 'summary') userCache.add(row, time, lastInsertRowid);
    return lastInsertRowid;
  }

  function storeUser(row: UserRow, time: number, isRepeated: boolean): number {
    const insertedId = isLikelyNew && !isRepeated ? insertNew(row, time) : undefined;
    if (insertedId !== undefined) return insertedId;
    const { find, isNewest, replace, replaceCounts } = statements[row.detailLevel];
    let existing = find.get(row, time);
    isLikelyNew = existing === undefined;
    if (!existing) return insertNew(row, time)!;
    // A user who is on the page twice was last seen just now.
    if (isRepeated && existing[1] !== 1) {
      updateTimes(time);
      existing = find.get(row, time)!;
    }
    const key = existing[0] as number;
    if (existing[1] !== 1) {
      // Times are updated last, since the history needs the previous ones.
      const [isLatest, hasChanged, hasOnlyCountChanges] = isNewest.get(row, time, key)!;
      if (isLatest === 1) {
        (hasOnlyCountChanges === 1 ? replaceCounts : replace).run(row, time, key);
        if (hasChanged === 1) changed++;
      } else if ((mergeOutOfOrder ??= prepareOutOfOrderUsers(db))(key, row, time)) changed++;
      userCache.remove(row);
    } else if (row.detailLevel === 'summary') userCache.add(row, time, key);
    return key;
  }

  return (rows, time) => {
    const ids = new Map<string, number>();
    added = 0;
    changed = 0;
    for (const level of DETAIL_LEVELS) pendingIds[level] = [];
    for (const row of rows) {
      const { detailLevel } = row;
      const key =
        (detailLevel === 'summary' ? userCache.find(row, time) : undefined) ??
        storeUser(row, time, ids.has(row.restId));
      ids.set(row.restId, key);
      pendingIds[detailLevel].push(key);
    }
    updateTimes(time);
    return { ids, newUsers: added, changedUsers: changed };
  };
}

/** Compiles a query with parameters that are bound in addition to the row. */
const compile = (query: Parameters<typeof compileStatement>[0]): Statement => compileStatement(query, ['at', 'id']);

/**
 * Prepares the out-of-order merge of a stored user. Returns whether the observation belongs into the history. The
 * caller updates `_user_last_seen`.
 */
function prepareOutOfOrderUsers(db: Db): (id: number, row: UserRow, at: number) => boolean {
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
