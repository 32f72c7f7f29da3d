import { and, eq, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import type { DetailLevel, UserRow } from '../schema/rows.ts';
import { users, usersSeen } from '../schema/tables.ts';
import { COLUMNS_BY_DETAIL_LEVEL } from '../schema/user-columns.ts';
import type { Db } from '../sqlite/database.ts';
import { compileStatement } from '../sqlite/statement.ts';
import {
  boundValue,
  conditionsDiffer,
  conditionsEqual,
  oneIfTrue,
  conditionsMissing,
  takeLatest,
  placeholders,
  mergeColumns,
} from './merge-rules.ts';
import { prepareOutOfOrderUsers } from './out-of-order-users.ts';
import type { UserCache } from './user-cache.ts';

const at = sql`${sql.placeholder('at')}`;
const id = sql.placeholder('id');
/** A time of the user that a query is about. It is looked up only where it comes to that. */
const userTime = (column: typeof usersSeen.seenAt | typeof usersSeen.summaryAt): SQL =>
  sql`(select ${column} from ${usersSeen} where ${usersSeen.userId} = ${users.id})`;

const COUNTS = ['followersCount', 'followingCount'] as const;
const isCount = (name: string): boolean => (COUNTS as readonly string[]).includes(name);

const DETAIL_LEVELS = ['reference', 'summary', 'profile'] as const satisfies readonly DetailLevel[];

/** More was seen of the user than a reference. */
const hasDetails = or(not(isNull(users.profileAt)), not(isNull(userTime(usersSeen.summaryAt))))!;
/** An author's picture says nothing where a summary or a profile showed one. */
const isSuperseded = and(not(isNull(users.profileImageUrl)), hasDetails);
const observedPicture = boundValue(users.profileImageUrl, 'profileImageUrl');
const hasNoNewPicture = or(isNull(observedPicture), sql`${observedPicture} is ${users.profileImageUrl}`, isSuperseded)!;

/** The users of a page as the store knows them. */
export interface StoredUsers {
  /** Their keys by the service's ids. */
  readonly ids: ReadonlyMap<string, number>;
  /** How many of them the store did not have, and how many were otherwise in it. */
  readonly newUsers: number;
  readonly changedUsers: number;
}

/**
 * Prepares the merging of a page's users (law 6). Most of those that a crawl sees again are as they were: then nothing
 * but their times in `users_seen` move, all of a page in one statement, and no wide row, index, history or full-text
 * entry is touched (decision 8). Nearly all others are seen later than ever and with all that is known of them: what was
 * observed replaces what was. The rest is merged column by column (decision 15).
 */
export function prepareUsers(db: Db, userCache: UserCache): (rows: readonly UserRow[], at: number) => StoredUsers {
  const prepare = (level: DetailLevel) => {
    const isProfile = level === 'profile';
    const isReference = level === 'reference';
    const columns = COLUMNS_BY_DETAIL_LEVEL[level];
    const replacedColumns = columns.filter((name) => !isReference || name !== 'profileImageUrl');
    const pictureCondition = isReference ? hasNoNewPicture : undefined;
    const isEqual = and(...conditionsEqual(users, replacedColumns))!;
    // When a full profile was seen is in the row itself.
    const isUnchanged = isProfile
      ? sql`0`
      : oneIfTrue(and(eq(users.behind, sql`0`), lte(users.changedAt, at), isEqual, pictureCondition));
    const isNewest = oneIfTrue(
      and(
        eq(users.behind, sql`0`),
        sql`${at} > ${userTime(usersSeen.seenAt)}`,
        not(or(...conditionsMissing(users, replacedColumns))!),
        pictureCondition,
      ),
    );
    const hasOnlyCountChanges = oneIfTrue(
      level === 'summary'
        ? and(
            ...conditionsEqual(
              users,
              replacedColumns.filter((name) => !isCount(name)),
            ),
          )
        : sql`0`,
    );
    const isPictureChanged = and(...conditionsDiffer(users, ['profileImageUrl']), hasDetails);
    const hasChanged = oneIfTrue(
      or(
        ...conditionsDiffer(users, replacedColumns.filter(isCount)),
        ...conditionsDiffer(
          users,
          replacedColumns.filter((name) => !isCount(name) && name !== 'profileImageUrl'),
        ),
        // The picture that only tweet-detail showed is no observation of the account (`user_history`).
        isReference ? undefined : isPictureChanged,
      ),
    );
    return {
      find: compileStatement(
        db,
        db
          .select({ id: users.id, isAsItWas: isUnchanged })
          .from(users)
          .where(eq(users.restId, sql.placeholder('restId'))),
        EXTRA_PARAMETERS,
      ),
      isNewest: compileStatement(
        db,
        db.select({ isNewest, hasChanged, isElseAsItWas: hasOnlyCountChanges }).from(users).where(eq(users.id, id)),
        EXTRA_PARAMETERS,
      ),
      insert: compileStatement(
        db,
        db
          .insert(users)
          .values({
            ...placeholders(users, ['restId', ...columns]),
            firstSeen: at,
            changedAt: at,
            ...(isProfile ? { profileAt: at } : {}),
          })
          .onConflictDoNothing({ target: users.restId }),
        EXTRA_PARAMETERS,
      ),
      replace: compileStatement(
        db,
        db
          .update(users)
          .set({
            ...mergeColumns(users, replacedColumns, (_, observed) => observed, boundValue),
            ...(isProfile ? { profileAt: at } : {}),
            changedAt: sql`case when ${isEqual} then ${users.changedAt} else ${at} end`,
          })
          .where(eq(users.id, id)),
        EXTRA_PARAMETERS,
      ),
      // Most often nothing else has changed: then no index, no full-text entry and no other history is looked at.
      replaceCounts: compileStatement(
        db,
        db
          .update(users)
          .set({ ...mergeColumns(users, COUNTS, (_, observed) => observed, boundValue), changedAt: at })
          .where(eq(users.id, id)),
        EXTRA_PARAMETERS,
      ),
      updateTimes: compileStatement(
        db,
        db
          .insert(usersSeen)
          .select(
            sql`select value, ${at}, ${level === 'summary' ? at : sql`null`} from json_each(${sql.placeholder('ids')}) where true`,
          )
          .onConflictDoUpdate({
            target: usersSeen.userId,
            set: mergeColumns(usersSeen, level === 'summary' ? ['seenAt', 'summaryAt'] : ['seenAt'], takeLatest),
          }),
      ),
    };
  };
  const statements = { reference: prepare('reference'), summary: prepare('summary'), profile: prepare('profile') };
  let mergeOutOfOrder: ReturnType<typeof prepareOutOfOrderUsers> | undefined;

  /** Users of the page whose times have yet to be moved. */
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
  /** Who follows a new user is most often new, too, and then need not be looked for first. */
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
    // Who is on a page twice was seen just now: that counts, too.
    if (isRepeated && existing[1] !== 1) {
      updateTimes(time);
      existing = find.get(row, time)!;
    }
    const key = existing[0] as number;
    if (existing[1] !== 1) {
      // The times move last: the history asks when the user was seen before.
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

/** What is bound beside the row. */
const EXTRA_PARAMETERS = ['at', 'id'];
