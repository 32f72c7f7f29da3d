import type { SqlValue } from '../../../analysis/sql/sql-query.ts';
import { splitIntoBatches } from '../../../base/batches.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { GraphNode } from './graph.ts';
import { type NetworkName, NETWORKS } from './networks.ts';
import type { NodeSet } from './scan-edges.ts';
import type { NodeAttribute } from './sql/node-attributes.ts';

type NodeRow = [id: number, key: string, label: string, ...values: SqlValue[]];

/** Reads the nodes of a set: stored accounts in order of their number, then other nodes. */
export function* readNodes(
  { $client }: Db,
  nodes: NodeSet,
  { network, attributes, otherNodes }: ReadNodesOptions,
): Generator<GraphNode, void> {
  const toNode = ([id, key, label, ...values]: NodeRow): GraphNode => {
    const [startAt, endAt] = nodes.timesOf(id);
    return { id, key, label, startAt, endAt, values };
  };
  if (NETWORKS[network].nodes === 'accounts') {
    const select = $client.prepare<[string], NodeRow>(
      `select u.id, u.rest_id, coalesce(u.screen_name, u.rest_id), ${attributes.map(({ ofAccount }) => ofAccount).join(', ')}
       from json_each(?) j cross join users u on u.id = j.value left join _user_last_seen s on s.user_id = u.id`,
    );
    for (const batch of splitIntoBatches(nodes.ids()))
      for (const row of select.raw().all(JSON.stringify(batch))) yield toNode(row as NodeRow);
  }
  if (otherNodes === undefined) return;
  const select = $client.prepare<[], NodeRow>(
    `select n.id, n.key, coalesce(n.label, n.key), ${attributes.map(({ ofOther }) => ofOther).join(', ')} from (${otherNodes}) n order by n.id`,
  );
  for (const row of select.raw().iterate()) if (nodes.has((row as NodeRow)[0])) yield toNode(row as NodeRow);
}

interface ReadNodesOptions {
  readonly network: NetworkName;
  readonly attributes: readonly NodeAttribute[];
  /** The statement of the nodes that are no stored accounts. */
  readonly otherNodes: string | undefined;
}
