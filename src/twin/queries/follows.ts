import { and, eq, gt, isNull, type SQL, sql } from 'drizzle-orm';
import type { UserSummary } from '../../contract/resources.ts';
import { follows, users } from '../../store/schema/tables.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { compileStatement } from '../../store/sqlite/statement.ts';
import type { PagePosition } from './cursors.ts';
import { countJson, flagJson, objectJson, textJson } from './json-text.ts';

/** A user as an entry of a list (spec, "User summary object"). */
const entry = objectJson<{ entryId: string; sortIndex: string; content: { user: UserSummary } }>({
  entryId: textJson(sql`'user-' || ${users.restId}`),
  sortIndex: textJson(users.restId),
  content: {
    user: {
      id: textJson(users.restId),
      rest_id: textJson(users.restId),
      name: textJson(users.name),
      screen_name: textJson(users.screenName),
      profile_image_url: textJson(users.profileImageUrl),
      description: textJson(users.description),
      followers_count: countJson(users.followersCount),
      following_count: countJson(users.followingCount),
      verified: flagJson(users.verified),
    },
  },
});

/** The given and the listed end of an edge, and the order by the index of the given end. */
const EDGE_COLUMNS = {
  followers: { given: follows.followeeId, listed: follows.followerId, position: follows.id },
  following: { given: follows.followerId, listed: follows.followeeId, position: follows.followeeId },
};

/** Below every id. */
const START: PagePosition = [0];

/**
 * Prepares the queries of edges that have not ended: followers in the order in which the edges were stored, followed
 * accounts in the order in which the accounts were stored.
 */
export function createFollowQueries(db: Db) {
  const pageOf = (list: keyof typeof EDGE_COLUMNS) => {
    const { given, listed, position } = EDGE_COLUMNS[list];
    const from = (columns: Record<string, SQL.Aliased>) =>
      db
        .select(columns)
        .from(follows)
        .innerJoin(users, eq(users.id, listed))
        .where(
          and(eq(given, sql.placeholder('userId')), gt(position, sql.placeholder('after')), isNull(follows.endedAt)),
        )
        .orderBy(position)
        .limit(sql.placeholder('limit'));
    const rows = from({ entry: entry.as('entry'), position: sql`${position}`.as('position') }).as('page');
    const page = compileStatement(
      db
        .select({
          entries: sql`cast(group_concat(${rows['entry']}, ',') as blob)`,
          size: sql`count(*)`,
          last: sql`max(${rows['position']})`,
        })
        .from(rows),
    );
    const findNext = compileStatement(from({ position: sql`${position}`.as('position') }));
    /** Returns the entries as JSON, separated by commas, and the start of the next page if there is one. */
    return (userId: number, after: PagePosition = START, limit: number) => {
      const [entries, size, last] = page.get({ userId, after: after[0], limit }) as [Buffer | null, number, number];
      // Another row means another page.
      const hasNext = size === limit && findNext.get({ userId, after: last, limit: 1 }) !== undefined;
      return { entries: entries ?? EMPTY, next: hasNext ? [last] : undefined };
    };
  };
  return { followers: pageOf('followers'), following: pageOf('following') };
}

const EMPTY = Buffer.alloc(0);
