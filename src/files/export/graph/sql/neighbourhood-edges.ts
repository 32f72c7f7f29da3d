import type { Db } from '../../../../store/sqlite/database.ts';
import type { GraphSelection } from '../networks.ts';
import type { OnProgress } from './build-edges.ts';

/**
 * Creates the temporary table `members`: the given accounts, and the nodes at most `depth` steps from one of them along
 * `graph_edges`, in either direction, with their number of steps. It is the node set of `networkx.ego_graph(…, undirected=True)`.
 * Accounts that are not stored have no edges.
 */
export function findNeighbourhood(
  { $client }: Db,
  { accountRestIds, depth }: Pick<GraphSelection, 'accountRestIds' | 'depth'>,
  onProgress: OnProgress,
): void {
  $client.exec('create temp table members (id integer primary key, step integer not null)');
  $client
    .prepare(
      `insert into members select u.id, 0 from users u
       where u.rest_id in (select value from json_each(?)) and u.id not in (select id from unavailable)`,
    )
    .run(JSON.stringify(accountRestIds));
  // Each direction has an index: a walk costs as much as it finds.
  const [targets, sources] = (['target', 'source'] as const).map((end) =>
    $client.prepare(
      `insert or ignore into members select e.${end}, @step from members m
       cross join graph_edges e on e.${end === 'target' ? 'source' : 'target'} = m.id where m.step = @step - 1`,
    ),
  );
  for (let step = 1; step <= depth; step++) {
    onProgress('finding neighbours: step', step, depth);
    const found = targets!.run({ step: BigInt(step) }).changes + sources!.run({ step: BigInt(step) }).changes;
    if (found === 0) return;
  }
}
