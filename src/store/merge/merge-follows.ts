import { EDGE_RELATIONS } from '../relations/list-relations.ts';
import type { EdgeList } from '../schema/normalised-rows.ts';
import type { Db } from '../sqlite/database.ts';
import { createValuePreparer } from '../sqlite/statement.ts';
import { prepareLateEdges, type StoreEdges } from './late-edges.ts';

/** Prepares StoreEdges: one statement for all edges of a page costs less than half of one per edge (decision 9). */
export function prepareFollows(db: Db): StoreEdges {
  const statements = { followers: prepareSide(db, 'followers'), following: prepareSide(db, 'following') };
  const readLastId = createValuePreparer(db)<[], number>('select coalesce(max(id), 0) from follows');
  const late = prepareLateEdges(db);

  return (side, owner, ids, time) => {
    const page = { ownerId: owner, memberIds: JSON.stringify(ids), at: time };
    if (late.isLate(side, page)) return late.storeEdges(side, owner, ids, time);
    const { findMissing, archive, restart, upsert } = statements[side];
    if (findMissing.get(page) !== undefined) {
      archive.run(page);
      restart.run(page);
    }
    // Only new edges get ids, and nobody else writes within this transaction.
    const lastIdBefore = readLastId.get()!;
    upsert.run(page);
    return readLastId.get()! - lastIdBefore;
  };
}

/**
 * Prepares the storing of the edges of a list. Of edges that were marked missing and are seen again, one that had ended begins
 * a new period, and its earlier period moves to `follow_history`. For a list without missing edges this is one look-up in an
 * empty index.
 */
function prepareSide({ $client }: Db, side: EdgeList['side']) {
  const { owner, member, lastSeenIn } = EDGE_RELATIONS[side];
  const isMarkedMissing = `${owner.name} = @ownerId and first_missed_at is not null`;
  // A page that was requested before the edge was last seen does not bring it back.
  const isReturning = `${isMarkedMissing} and ${member.name} in (select value from json_each(@memberIds))
    and coalesce(ended_at, last_seen_at) <= @at`;
  const period = 'followee_id, follower_id, first_seen_at, last_seen_at, ended_at, last_seen_in';
  // A time before the end of an earlier period does not belong to the current one.
  const isEarlier = `@at < first_seen_at and not exists (select 1 from follow_history h
    where h.followee_id = follows.followee_id and h.follower_id = follows.follower_id and h.ended_at >= @at)`;
  return {
    findMissing: $client.prepare<[object]>(`select id from follows where ${isMarkedMissing}`),
    archive: $client.prepare<[object]>(
      `insert into follow_history (${period}) select ${period} from follows
       where ${isReturning} and ended_at is not null order by id`,
    ),
    restart: $client.prepare<[object]>(
      `update follows set first_seen_at = iif(ended_at is null, first_seen_at, @at), first_missed_at = null, ended_at = null
       where ${isReturning}`,
    ),
    upsert: $client.prepare<[object]>(
      `insert into follows (${owner.name}, ${member.name}, first_seen_at, last_seen_at, last_seen_in)
       select @ownerId, value, @at, @at, ${lastSeenIn} from json_each(@memberIds) where true
       on conflict (follower_id, followee_id) do update set
         first_seen_at = iif(${isEarlier}, @at, first_seen_at),
         last_seen_at = max(last_seen_at, @at),
         last_seen_in = case when @at > last_seen_at then excluded.last_seen_in
           when @at = last_seen_at then max(last_seen_in, excluded.last_seen_in) else last_seen_in end`,
    ),
  };
}
