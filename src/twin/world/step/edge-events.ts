import { followHistory, follows } from '#store/schema/tables.ts';
import type { Db } from '#store/sqlite/database.ts';
import { prepareInsert } from '#twin/world/row-writer.ts';
import type { Account } from './population.ts';
import type { StepContext } from './step-context.ts';

type EdgeRow = typeof follows.$inferSelect;

const MAX_TRIES = 8;
const COLUMNS = `id, follower_id as followerId, followee_id as followeeId, first_seen_at as firstSeenAt,
  last_seen_at as lastSeenAt, ended_at as endedAt, last_seen_in as lastSeenIn`;

function prepareStatements({ $client }: Db) {
  const maxIdOf = (table: string): number =>
    $client.prepare<[], number>(`select coalesce(max(id), 0) from ${table}`).pluck().get()!;
  return {
    lastEdge: maxIdOf('follows'),
    lastPeriod: maxIdOf('follow_history'),
    find: $client.prepare<[number, number], EdgeRow>(
      `select ${COLUMNS} from follows where follower_id = ? and followee_id = ?`,
    ),
    restart: $client.prepare<[number, number, number]>(
      'update follows set first_seen_at = ?, last_seen_at = ?, ended_at = null, first_missed_at = null where id = ?',
    ),
    findCurrentFrom: $client.prepare<[number, number], EdgeRow>(
      `select ${COLUMNS} from follows where id >= ? and id <= ? and ended_at is null order by id limit 1`,
    ),
    end: $client.prepare<[number, number, number, number]>(
      'update follows set last_seen_at = ?, first_missed_at = ?, ended_at = ? where id = ?',
    ),
  };
}

/** Prepares the events that begin and end edges. An ended edge keeps its row, as in a crawled store. */
export function prepareEdgeEvents({ db, random, population, changes, from }: StepContext) {
  const insert = prepareInsert(db, follows);
  const archive = prepareInsert(db, followHistory);
  const { lastEdge, lastPeriod, find, restart, findCurrentFrom, end } = prepareStatements(db);
  let [edges, periods] = [lastEdge, lastPeriod];

  /** Records a change of an edge. Returns false if the step has already changed it. */
  function record(list: 'follows' | 'unfollows', follower: Account, followee: Account): boolean {
    const name = `${follower.id} ${followee.id}`;
    if (changes.changedEdges.has(name)) return false;
    changes.changedEdges.add(name);
    changes[list].push({ follower: follower.restId, followee: followee.restId });
    changes.touchedUsers.add(follower.id).add(followee.id);
    return true;
  }

  return {
    follow(at: number): void {
      for (let tries = MAX_TRIES; tries > 0; tries -= 1) {
        const follower = population.drawBy('followers', random);
        const followee = population.drawBy('followees', random);
        if (!follower || !followee || follower === followee) continue;
        const row = find.get(follower.id, followee.id);
        if ((row && row.endedAt === null) || !record('follows', follower, followee)) continue;
        if (row) {
          archive({ ...row, id: (periods += 1), endedAt: row.endedAt! });
          restart.run(at, at, row.id);
        } else {
          insert({
            id: (edges += 1),
            followerId: follower.id,
            followeeId: followee.id,
            firstSeenAt: at,
            lastSeenAt: at,
            endedAt: null,
            firstMissedAt: null,
            lastSeenIn: 0,
          });
        }
        return;
      }
    },
    /** Ends an edge that existed before the step. */
    unfollow(at: number): void {
      for (let tries = MAX_TRIES; lastEdge > 0 && tries > 0; tries -= 1) {
        const row = findCurrentFrom.get(random.integerBetween(1, lastEdge), lastEdge);
        const follower = row && population.find(row.followerId);
        const followee = row && population.find(row.followeeId);
        if (!follower || !followee || !record('unfollows', follower, followee)) continue;
        end.run(Math.max(row.lastSeenAt, from), at, at, row.id);
        return;
      }
    },
  };
}
