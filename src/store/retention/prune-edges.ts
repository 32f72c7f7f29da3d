import { preparePrunedRanges } from '#store/coverage/pruned-ranges.ts';
import type { RowCounts } from '#store/erasure/remove-rows.ts';
import { LISTS_OF_EDGE } from '#store/relations/list-relations.ts';
import type { Db } from '#store/sqlite/database.ts';

/** Edges that are removed in one transaction. */
const BATCH_SIZE = 500;

/** The tables of edges, with the time that counts as their age. */
const EDGE_TABLES = { follows: 'coalesce(e.ended_at, e.last_seen_at)', follow_history: 'e.ended_at' } as const;
export type EdgeTable = keyof typeof EDGE_TABLES;

/** The condition of an old edge `e` that only lists of the job show. Bind `limit`. */
const isOld = (table: EdgeTable): string =>
  `${EDGE_TABLES[table]} < :limit and (select min(is_own) from temp.prune_lists where (kind, target) in (${LISTS_OF_EDGE})) = 1`;

/** Counts the edges and lists that a job request removes. */
export const countEdges = ({ $client }: Db, limit: number): RowCounts =>
  Object.fromEntries(
    [
      ...(Object.keys(EDGE_TABLES) as EdgeTable[]).map((table) => [table, `${table} e where ${isOld(table)}`] as const),
      ['_list_snapshots', `_list_snapshots s where ${IS_OLD_SNAPSHOT}`] as const,
    ]
      .map(
        ([table, from]) =>
          [table, $client.prepare<[object], number>(`select count(*) from ${from}`).pluck().get({ limit })!] as const,
      )
      .filter(([, rows]) => rows > 0),
  );

/** A complete list `s` of the job that began before the limit: evidence about edges that are removed. */
const IS_OLD_SNAPSHOT = `s.started_at < :limit and (s.side, (select rest_id from users where id = s.user_id)) in (
  select kind, target from temp.prune_lists where is_own = 1)`;

interface RemovedEdges {
  readonly rows: RowCounts;
  /** The keys of the accounts at their ends. */
  readonly userIds: readonly number[];
}

/**
 * Prepares the removal of the edges of a job, inside the caller's transaction, with the statements about the lists that showed
 * them. Complete lists of before the limit go first: they are evidence about edges that go.
 */
export function prepareEdgeRemoval(db: Db, limit: number) {
  const { $client } = db;
  const ranges = preparePrunedRanges(db);
  const listSnapshots = $client.prepare<[object], { kind: string; target: string }>(
    `select distinct s.side as kind, (select rest_id from users where id = s.user_id) as target from _list_snapshots s where ${IS_OLD_SNAPSHOT}`,
  );
  const removeSnapshots = $client.prepare<[object]>(`delete from _list_snapshots as s where ${IS_OLD_SNAPSHOT}`);
  const statements = Object.fromEntries(
    (Object.keys(EDGE_TABLES) as EdgeTable[]).map((table) => [
      table,
      {
        select: $client
          .prepare<[object], number>(
            `select e.id from ${table} e where ${isOld(table)} order by e.id limit ${BATCH_SIZE}`,
          )
          .pluck(),
        lists: $client.prepare<[object], { kind: string; target: string; items: number }>(
          `select l.kind, l.target, count(*) as items from (select * from ${table} where id in (select value from json_each(:ids))) e
           join temp.prune_lists l on (l.kind, l.target) in (${LISTS_OF_EDGE})
           group by l.kind, l.target`,
        ),
        ends: $client
          .prepare<[object], number>(
            `select followee_id from ${table} where id in (select value from json_each(:ids))
             union select follower_id from ${table} where id in (select value from json_each(:ids))`,
          )
          .pluck(),
        remove: $client.prepare<[object]>(`delete from ${table} where id in (select value from json_each(:ids))`),
      },
    ]),
  );
  const removeDecisions = $client.prepare(
    `delete from _follow_decisions as d
     where not exists (select 1 from follows f where f.follower_id = d.follower_id and f.followee_id = d.followee_id)`,
  );
  const untimed = { oldestAt: null, newestAt: null };

  return {
    removeSnapshots(prune: { readonly id: number; readonly at: number }): RowCounts {
      for (const list of listSnapshots.all({ limit })) ranges.addItems({ ...list, ...untimed, items: 0 }, prune);
      const { changes } = removeSnapshots.run({ limit });
      return changes === 0 ? {} : { _list_snapshots: changes };
    },

    /** Removes a batch of edges; undefined if there is none. */
    removeEdges(table: EdgeTable, prune: { readonly id: number; readonly at: number }): RemovedEdges | undefined {
      const { select, lists, ends, remove } = statements[table]!;
      const found = select.all({ limit });
      if (found.length === 0) return undefined;
      const bound = { ids: JSON.stringify(found) };
      for (const { kind, target, items } of lists.all(bound))
        ranges.addItems({ kind, target, items, ...untimed }, prune);
      const userIds = ends.all(bound);
      const { changes } = remove.run(bound);
      removeDecisions.run();
      return { rows: { [table]: changes }, userIds };
    },
  };
}
