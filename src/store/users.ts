import { and, eq, lte, sql } from 'drizzle-orm';
import type { Db } from './database.ts';
import type { KnownUsers } from './known-users.ts';
import { bound, fill, isNoNews, latest, newest, placeholders, rules } from './merge.ts';
import type { Fullness, UserRow } from './rows.ts';
import { users, usersSeen } from './schema.ts';
import { compile } from './statement.ts';

const NAMES = ['screenName', 'name'] as const;
const SUMMARY = ['description', 'profileImageUrl', 'followersCount', 'followingCount'] as const;
const SUMMARY_ONLY = ['verified'] as const;
const PROFILE_ONLY = [
  'location',
  'url',
  'type',
  'coverImageUrl',
  'isBlueVerified',
  'canDm',
  'hasCustomTimelines',
  'isTranslator',
  'favouritesCount',
  'mediaCount',
  'statusesCount',
  'createdAt',
] as const;

const at = sql`${sql.placeholder('at')}`;
const byName = rules(users, NAMES, newest(at, usersSeen.seenAt), bound);
const bySummary = (names: readonly string[]) => rules(users, names, newest(at, usersSeen.summaryAt), bound);

/** Which columns an observation of each fullness may set, by which rule, and which times it moves. */
const FULLNESS = {
  reference: {
    columns: [...NAMES, 'profileImageUrl'],
    set: { ...byName, ...rules(users, ['profileImageUrl'], fill, bound) },
    times: ['seenAt'],
  },
  summary: {
    columns: [...NAMES, ...SUMMARY, ...SUMMARY_ONLY],
    set: { ...byName, ...bySummary([...SUMMARY, ...SUMMARY_ONLY]) },
    times: ['seenAt', 'summaryAt'],
  },
  profile: {
    columns: [...NAMES, ...SUMMARY, ...PROFILE_ONLY],
    set: {
      ...byName,
      ...bySummary(SUMMARY),
      ...rules(users, PROFILE_ONLY, newest(at, users.profileAt), bound),
      ...rules(users, ['profileAt'], latest, () => at),
    },
    times: ['seenAt', 'summaryAt'],
  },
} as const satisfies Record<Fullness, { columns: readonly (keyof UserRow)[]; set: object; times: readonly string[] }>;
const FULLNESSES = ['reference', 'summary', 'profile'] as const satisfies readonly Fullness[];

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
 * entry is touched (decision 8).
 */
export function prepareUsers(db: Db, memory: KnownUsers): (rows: readonly UserRow[], at: number) => StoredUsers {
  const prepare = (fullness: Fullness) => {
    const { columns, set, times } = FULLNESS[fullness];
    // When a full profile was seen is in the row itself.
    const isProfile = fullness === 'profile';
    const isKnown = and(...isNoNews(users, columns))!;
    const isAsItWas = isProfile ? sql`0` : and(lte(users.firstSeen, at), isKnown)!;
    const id = sql.placeholder('id');
    return {
      find: compile(
        db,
        db
          .select({ id: users.id, isAsItWas })
          .from(users)
          .where(eq(users.restId, sql.placeholder('restId'))),
        BESIDE,
      ),
      insert: compile(
        db,
        db.insert(users).values({
          ...placeholders(users, ['restId', ...columns]),
          firstSeen: at,
          changedAt: at,
          ...(isProfile ? { profileAt: at } : {}),
        }),
        BESIDE,
      ),
      merge: compile(
        db,
        db
          .update(users)
          .set({
            ...set,
            firstSeen: sql`min(${users.firstSeen}, ${at})`,
            changedAt: sql`case when ${at} >= ${usersSeen.seenAt} and not (${isKnown}) then ${at} else ${users.changedAt} end`,
          })
          .from(usersSeen)
          .where(and(eq(users.id, id), eq(usersSeen.userId, id))),
        BESIDE,
      ),
      moveTimes: compile(
        db,
        db
          .insert(usersSeen)
          .select(
            sql`select value, ${at}, ${fullness === 'reference' ? sql`null` : at} from json_each(${sql.placeholder('ids')}) where true`,
          )
          .onConflictDoUpdate({ target: usersSeen.userId, set: rules(usersSeen, times, latest) }),
      ),
    };
  };
  const statements = { reference: prepare('reference'), summary: prepare('summary'), profile: prepare('profile') };

  let added = 0;
  function store(row: UserRow, time: number): number {
    const { find, insert, merge } = statements[row.fullness];
    const known = find.get(row, time);
    const id = known ? (known[0] as number) : insert.run(row, time).lastInsertRowid;
    if (!known) added++;
    if (known && known[1] !== 1) {
      merge.run(row, time, id);
      memory.forget(row);
    } else if (row.fullness === 'summary') memory.remember(row, time, id);
    return id;
  }

  return (rows, time) => {
    const ids = new Map<string, number>();
    const seen: Record<Fullness, number[]> = { reference: [], summary: [], profile: [] };
    added = 0;
    for (const row of rows) {
      const { fullness } = row;
      const id = (fullness === 'summary' ? memory.find(row, time) : undefined) ?? store(row, time);
      ids.set(row.restId, id);
      seen[fullness].push(id);
    }
    // Last: a merge asks when its user was seen before, and so does the history.
    for (const fullness of FULLNESSES) {
      if (seen[fullness].length > 0)
        statements[fullness].moveTimes.run({ at: time, ids: JSON.stringify(seen[fullness]) });
    }
    return { ids, added };
  };
}

/** What is bound beside the row. */
const BESIDE = ['at', 'id'];
