import { and, eq, isNull, lte, not, or, type SQL, sql } from 'drizzle-orm';
import { prepareCarefulUsers } from './careful-users.ts';
import type { Db } from './database.ts';
import type { KnownUsers } from './known-users.ts';
import { bound, isShown, lacks, latest, placeholders, rules } from './merge.ts';
import type { Fullness, UserRow } from './rows.ts';
import { users, usersSeen } from './schema.ts';
import { compile } from './statement.ts';
import { SHOWN } from './user-columns.ts';

const at = sql`${sql.placeholder('at')}`;
const id = sql.placeholder('id');
/** A time of the user that a query is about. It is looked up only where it comes to that. */
const seen = (column: typeof usersSeen.seenAt | typeof usersSeen.summaryAt): SQL =>
  sql`(select ${column} from ${usersSeen} where ${usersSeen.userId} = ${users.id})`;

const FULLNESSES = ['reference', 'summary', 'profile'] as const satisfies readonly Fullness[];

/** An author's picture says nothing where a summary or a profile showed one. */
const isOutranked = and(
  not(isNull(users.profileImageUrl)),
  or(not(isNull(users.profileAt)), not(isNull(seen(usersSeen.summaryAt)))),
);
const picture = bound(users.profileImageUrl, 'profileImageUrl');
const isNoPicture = or(isNull(picture), sql`${picture} is ${users.profileImageUrl}`, isOutranked)!;

/** The users of a page as the store knows them. */
export interface StoredUsers {
  /** Their keys by the service's ids. */
  readonly ids: ReadonlyMap<string, number>;
  /** How many of them the store did not have. */
  readonly added: number;
}

/**
 * Prepares the merging of a page's users (law 6). Most of those that a crawl sees again are as they were: then nothing
 * but their times in `users_seen` move, all of a page in one statement, and no wide row, index, history or full-text
 * entry is touched (decision 8). Nearly all others are seen later than ever and with all that is known of them: what was
 * observed replaces what was. The rest is merged column by column (decision 15).
 */
export function prepareUsers(db: Db, memory: KnownUsers): (rows: readonly UserRow[], at: number) => StoredUsers {
  const prepare = (fullness: Fullness) => {
    const isProfile = fullness === 'profile';
    const isReference = fullness === 'reference';
    const columns = SHOWN[fullness];
    const replaced = columns.filter((name) => !isReference || name !== 'profileImageUrl');
    const picture = isReference ? isNoPicture : undefined;
    const isSame = and(...isShown(users, replaced))!;
    // When a full profile was seen is in the row itself.
    const isAsItWas = isProfile ? sql`0` : and(eq(users.behind, sql`0`), lte(users.changedAt, at), isSame, picture)!;
    const isNewest = and(
      eq(users.behind, sql`0`),
      sql`${at} > ${seen(usersSeen.seenAt)}`,
      not(or(...lacks(users, replaced))!),
      picture,
    )!;
    return {
      find: compile(
        db,
        db
          .select({ id: users.id, isAsItWas })
          .from(users)
          .where(eq(users.restId, sql.placeholder('restId'))),
        BESIDE,
      ),
      isNewest: compile(db, db.select({ isNewest }).from(users).where(eq(users.id, id)), BESIDE),
      insert: compile(
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
      replace: compile(
        db,
        db
          .update(users)
          .set({
            ...rules(users, replaced, (_, observed) => observed, bound),
            ...(isProfile ? { profileAt: at } : {}),
            changedAt: sql`case when ${isSame} then ${users.changedAt} else ${at} end`,
          })
          .where(eq(users.id, id)),
        BESIDE,
      ),
      moveTimes: compile(
        db,
        db
          .insert(usersSeen)
          .select(
            sql`select value, ${at}, ${fullness === 'summary' ? at : sql`null`} from json_each(${sql.placeholder('ids')}) where true`,
          )
          .onConflictDoUpdate({
            target: usersSeen.userId,
            set: rules(usersSeen, fullness === 'summary' ? ['seenAt', 'summaryAt'] : ['seenAt'], latest),
          }),
      ),
    };
  };
  const statements = { reference: prepare('reference'), summary: prepare('summary'), profile: prepare('profile') };
  const mergeCarefully = prepareCarefulUsers(db);

  /** Users of the page whose times have yet to be moved. */
  const seenNow: Record<Fullness, number[]> = { reference: [], summary: [], profile: [] };
  function moveTimes(time: number): void {
    for (const fullness of FULLNESSES) {
      if (seenNow[fullness].length > 0)
        statements[fullness].moveTimes.run({ at: time, ids: JSON.stringify(seenNow[fullness]) });
      seenNow[fullness] = [];
    }
  }

  let added = 0;
  /** Who follows a new user is most often new, too, and then need not be looked for first. */
  let isLikelyNew = true;
  function insertNew(row: UserRow, time: number): number | undefined {
    const { changes, lastInsertRowid } = statements[row.fullness].insert.run(row, time);
    if (changes === 0) return undefined;
    added++;
    if (row.fullness === 'summary') memory.remember(row, time, lastInsertRowid);
    return lastInsertRowid;
  }

  function store(row: UserRow, time: number, isSecond: boolean): number {
    const fresh = isLikelyNew && !isSecond ? insertNew(row, time) : undefined;
    if (fresh !== undefined) return fresh;
    const { find, isNewest, replace } = statements[row.fullness];
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
      if (isNewest.get(row, time, key)![0] === 1) replace.run(row, time, key);
      else mergeCarefully(key, row, time);
      memory.forget(row);
    } else if (row.fullness === 'summary') memory.remember(row, time, key);
    return key;
  }

  return (rows, time) => {
    const ids = new Map<string, number>();
    added = 0;
    for (const fullness of FULLNESSES) seenNow[fullness] = [];
    for (const row of rows) {
      const { fullness } = row;
      const key =
        (fullness === 'summary' ? memory.find(row, time) : undefined) ?? store(row, time, ids.has(row.restId));
      ids.set(row.restId, key);
      seenNow[fullness].push(key);
    }
    moveTimes(time);
    return { ids, added };
  };
}

/** What is bound beside the row. */
const BESIDE = ['at', 'id'];
