import type { SqlValue } from '../../../analysis/sql/sql-query.ts';
import { contentOf } from '../pseudonyms/column-contents.ts';
import type { Pseudonyms } from '../pseudonyms/pseudonyms.ts';
import type { GraphNode } from './graph.ts';
import { NETWORKS } from './networks.ts';
import type { SelectedGraph } from './read-graph.ts';

/** Returns a network with pseudonyms as keys and labels of nodes, and without their private attributes. */
export function pseudonymiseGraph(graph: SelectedGraph, pseudonyms: Pseudonyms): SelectedGraph {
  const contents = graph.nodeColumns.map(({ name }) => contentOf('nodes', name));
  const kept = contents.flatMap((content, i) => (pseudonyms.omits(content) ? [] : [i]));
  const replaceValue = (value: SqlValue, i: number): SqlValue =>
    typeof value === 'string' ? pseudonyms.replace(contents[i]!, value, '') : value;
  const rename = NETWORKS[graph.network].nodes === 'accounts' ? renameAccount : renameHashtag;
  return {
    ...graph,
    nodeColumns: kept.map((i) => graph.nodeColumns[i]!),
    *nodes() {
      for (const node of graph.nodes())
        yield { ...rename(node, pseudonyms), values: kept.map((i) => replaceValue(node.values[i]!, i)) };
    },
  };
}

/** The key is the id of the account, or `@handle`; the label is its handle, or its id. */
function renameAccount(node: GraphNode, { replace }: Pseudonyms): GraphNode {
  const { key, label } = node;
  const newKey = key.startsWith('@') ? replace('handle', key.slice(1), '') : replace('account', key, '');
  return { ...node, key: newKey, label: label === key ? newKey : replace('handle', label, '') };
}

function renameHashtag(node: GraphNode, { replace }: Pseudonyms): GraphNode {
  const tag = replace('hashtag', node.key, '');
  return { ...node, key: tag, label: `#${tag}` };
}
