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
const seen = (column: typeof usersSeen.seenAt | typeof usersSeen.summaryAt): SQL =>
  sql`(select ${column} from ${usersSeen} where ${usersSeen.userId} = ${users.id})`;

const COUNTS = ['followersCount', 'followingCount'] as const;
const isCount = (name: string): boolean => (COUNTS as readonly string[]).includes(name);

const FULLNESSES = ['reference', 'summary', 'profile'] as const satisfies readonly DetailLevel[];

/** More was seen of the user than a reference. */
const hasFullerForm = or(not(isNull(users.profileAt)), not(isNull(seen(usersSeen.summaryAt))))!;
/** An author's picture says nothing where a summary or a profile showed one. */
const isOutranked = and(not(isNull(users.profileImageUrl)), hasFullerForm);
const pictureShown = boundValue(users.profileImageUrl, 'profileImageUrl');
const isNoPicture = or(isNull(pictureShown), sql`${pictureShown} is ${users.profileImageUrl}`, isOutranked)!;

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
export function prepareUsers(db: Db, memory: UserCache): (rows: readonly UserRow[], at: number) => StoredUsers {
  const prepare = (fullness: DetailLevel) => {
    const isProfile = fullness === 'profile';
    const isReference = fullness === 'reference';
    const columns = COLUMNS_BY_DETAIL_LEVEL[fullness];
    const replaced = columns.filter((name) => !isReference || name !== 'profileImageUrl');
    const picture = isReference ? isNoPicture : undefined;
    const isSame = and(...conditionsEqual(users, replaced))!;
    // When a full profile was seen is in the row itself.
    const isAsItWas = isProfile
      ? sql`0`
      : oneIfTrue(and(eq(users.behind, sql`0`), lte(users.changedAt, at), isSame, picture));
    const isNewest = oneIfTrue(
      and(
        eq(users.behind, sql`0`),
        sql`${at} > ${seen(usersSeen.seenAt)}`,
        not(or(...conditionsMissing(users, replaced))!),
        picture,
      ),
    );
    const isElseAsItWas = oneIfTrue(
      fullness === 'summary'
        ? and(
            ...conditionsEqual(
              users,
              replaced.filter((name) => !isCount(name)),
            ),
          )
        : sql`0`,
    );
    const pictures = and(...conditionsDiffer(users, ['profileImageUrl']), hasFullerForm);
    const hasChanged = oneIfTrue(
      or(
        ...conditionsDiffer(users, replaced.filter(isCount)),
        ...conditionsDiffer(
          users,
          replaced.filter((name) => !isCount(name) && name !== 'profileImageUrl'),
        ),
        // The picture that only tweet-detail showed is no observation of the account (`user_history`).
        isReference ? undefined : pictures,
      ),
    );
    return {
      find: compileStatement(
        db,
        db
          .select({ id: users.id, isAsItWas })
          .from(users)
          .where(eq(users.restId, sql.placeholder('restId'))),
        BESIDE,
      ),
      isNewest: compileStatement(
        db,
        db.select({ isNewest, hasChanged, isElseAsItWas }).from(users).where(eq(users.id, id)),
        BESIDE,
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
        BESIDE,
      ),
      replace: compileStatement(
        db,
        db
          .update(users)
          .set({
            ...mergeColumns(users, replaced, (_, observed) => observed, boundValue),
            ...(isProfile ? { profileAt: at } : {}),
            changedAt: sql`case when ${isSame} then ${users.changedAt} else ${at} end`,
          })
          .where(eq(users.id, id)),
        BESIDE,
      ),
      // Most often nothing else has changed: then no index, no full-text entry and no other history is looked at.
      replaceCounts: compileStatement(
        db,
        db
          .update(users)
          .set({ ...mergeColumns(users, COUNTS, (_, observed) => observed, boundValue), changedAt: at })
          .where(eq(users.id, id)),
        BESIDE,
      ),
      moveTimes: compileStatement(
        db,
        db
          .insert(usersSeen)
          .select(
            sql`select value, ${at}, ${fullness === 'summary' ? at : sql`null`} from json_each(${sql.placeholder('ids')}) where true`,
          )
          .onConflictDoUpdate({
            target: usersSeen.userId,
            set: mergeColumns(usersSeen, fullness === 'summary' ? ['seenAt', 'summaryAt'] : ['seenAt'], takeLatest),
          }),
      ),
    };
  };
  const statements = { reference: prepare('reference'), summary: prepare('summary'), profile: prepare('profile') };
  let mergeCarefully: ReturnType<typeof prepareOutOfOrderUsers> | undefined;

  /** Users of the page whose times have yet to be moved. */
  const seenNow: Record<DetailLevel, number[]> = { reference: [], summary: [], profile: [] };
  function moveTimes(time: number): void {
    for (const fullness of FULLNESSES) {
      if (seenNow[fullness].length > 0)
        statements[fullness].moveTimes.run({ at: time, ids: JSON.stringify(seenNow[fullness]) });
      seenNow[fullness] = [];
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
    if (row.detailLevel === 'summary') memory.add(row, time, lastInsertRowid);
    return lastInsertRowid;
  }

  function store(row: UserRow, time: number, isSecond: boolean): number {
    const fresh = isLikelyNew && !isSecond ? insertNew(row, time) : undefined;
    if (fresh !== undefined) return fresh;
    const { find, isNewest, replace, replaceCounts } = statements[row.detailLevel];
    let known = find.get(row, time);
    isLikelyNew = known === undefined;
    if (!known) return insertNew(row, time)!;
    // Who is on a page twice was seen just now: that counts, too.
    if (isSecond && known[1] !== 1) {
      moveTimes(time);
      known = find.get(row, time)!;
    }
    const key = known[0] as number;
    if (known[1] !== 1) {
      // The times move last: the history asks when the user was seen before.
      const [isLatest, hasChanged, isElseAsItWas] = isNewest.get(row, time, key)!;
      if (isLatest === 1) {
        (isElseAsItWas === 1 ? replaceCounts : replace).run(row, time, key);
        if (hasChanged === 1) changed++;
      } else if ((mergeCarefully ??= prepareOutOfOrderUsers(db))(key, row, time)) changed++;
      memory.remove(row);
    } else if (row.detailLevel === 'summary') memory.add(row, time, key);
    return key;
  }

  return (rows, time) => {
    const ids = new Map<string, number>();
    added = 0;
    changed = 0;
    for (const fullness of FULLNESSES) seenNow[fullness] = [];
    for (const row of rows) {
      const { detailLevel } = row;
      const key =
        (detailLevel === 'summary' ? memory.find(row, time) : undefined) ?? store(row, time, ids.has(row.restId));
      ids.set(row.restId, key);
      seenNow[detailLevel].push(key);
    }
    moveTimes(time);
    return { ids, newUsers: added, changedUsers: changed };
  };
}

/** What is bound beside the row. */
const BESIDE = ['at', 'id'];
